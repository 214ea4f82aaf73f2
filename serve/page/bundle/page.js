// Made by serve/page/build.mjs from serve/page/source/: change those.
function x(e,t={},...n){let l=document.createElement(e);for(let[s,a]of Object.entries(t))a==null||a===!1||(s.startsWith("on")?l.addEventListener(s.slice(2),a):l.
setAttribute(s,a===!0?"":String(a)));for(let s of n.flat())s==null||s===!1||l.append(s instanceof Node?s:document.createTextNode(String(s)));return l}var bn="\u2013",
Wn=e=>e!=null;function Jo(e){let t=Math.abs(e);return t>=100?e.toFixed(0):t>=10?e.toFixed(1):e.toFixed(2)}var Oa=[["s",1e9],["ms",1e6],["\xB5s",1e3]];function V(e){
if(!Wn(e))return bn;let t=Math.abs(e);if(t===0)return"0";if(t>=36e11)return`${(e/36e11).toFixed(1)} h`;if(t>=12e10)return`${(e/6e10).toFixed(1)} min`;for(let[n,
l]of Oa)if(t>=l)return`${Jo(e/l)} ${n}`;return`${Math.round(e)} ns`}function ze(e){if(!Wn(e))return bn;for(let[t,n]of[["TB",1e12],["GB",1e9],["MB",1e6],["kB",1e3]])
if(Math.abs(e)>=n)return`${Jo(e/n)} ${t}`;return`${e} B`}function G(e){return Wn(e)?Number(e).toLocaleString("en"):bn}function Sl(e){for(let[t,n]of[["T",1e12],[
"G",1e9],["M",1e6],["k",1e3]])if(Math.abs(e)>=n)return`${+(e/n).toPrecision(3)}${t}`;return String(+e.toPrecision(3))}function yn(e){return Wn(e)&&Number.isFinite(
e)?`${(100*e).toFixed(e<.1?1:0)} %`:bn}function Ue(e){let t=/^(.*?)(?:\.(\d{1,9}))?Z$/.exec(e??""),n=t?Date.parse(`${t[1]}Z`):NaN;return Number.isNaN(n)?null:BigInt(
n)*1000000n+BigInt((t[2]??"").padEnd(9,"0"))}function xn(e){let t=e/1000000000n;return`${new Date(Number(t)*1e3).toISOString().slice(0,19)}.${String(e-t*1000000000n).
padStart(9,"0")}Z`}function kl(e){return e?e.slice(11,23).replace("Z",""):bn}var _n="ingero-token",rl=class extends Error{constructor(t,n,l){super(l),this.status=t,this.word=n}},Fa=/"(?:[^"\\]|\\.)*"|-?\d{16,}(?![\d.eE])/g,za=e=>JSON.parse(
e.replace(Fa,t=>t[0]==='"'||Number.isSafeInteger(Number(t))?t:`"${t}"`));async function Zo(e,t,n,l){let s=sessionStorage.getItem(_n),a=s?{Authorization:`Bearer ${s}`}:
{};n!==void 0&&(a["Content-Type"]="application/json");let c;try{c=await fetch(t,{method:e,headers:a,body:n,signal:l,credentials:"omit",cache:"no-store"})}catch(f){
throw f.name==="AbortError"?f:new rl(0,"gone","the server does not answer")}let i;try{i=za(await c.text())}catch(f){if(f.name==="AbortError")throw f;i={error:`s\
tatus ${c.status}`,class:"internal"}}if(!c.ok)throw new rl(c.status,i.class,i.error);return i}var ge=(e,t={},n=void 0)=>Zo("POST",`/api/v1/tools/${e}`,JSON.stringify(
t),n),Qo=e=>Zo("GET",e);async function Gt(e,t=1e3,n=void 0){let l=await ge("run_sql",{query:e,limit:t},n);return l.data.map(s=>Object.fromEntries(s.map((a,c)=>[
l.columns[c],a])))}async function Xo(e){let{asks_token:t}=await Qo("/page.json");!t||sessionStorage.getItem(_n)||await Ls(e,"")}function Ls(e,t){return sessionStorage.
removeItem(_n),new Promise(n=>{let l=x("input",{id:"token",type:"password",autocomplete:"off",spellcheck:"false",required:!0}),s=x("p",{role:"alert"},t),a=x("fo\
rm",{class:"card login"},x("h2",{},"Token"),x("p",{},"The recording is for those who have the token that the server was started with. It stays in this tab."),x(
"label",{for:"token"},"Bearer token"),l,x("button",{type:"submit"},"Open"),s);a.addEventListener("submit",async c=>{c.preventDefault(),sessionStorage.setItem(_n,
l.value);try{await Qo("/api/v1/health"),n()}catch(i){sessionStorage.removeItem(_n),s.textContent=i.status===401?"That is not the token.":i.message,l.select()}}),
e.replaceChildren(a),l.focus()})}var W={view:"overview",from:null,to:null,chosen:{}},ei=[],ti=e=>ei.push(e);function Ns(){let[e,t=""]=location.hash.replace(/^#\/?/,"").split("?"),n=new URLSearchParams(
t);W.view=e||"overview",W.from=n.get("from"),W.to=n.get("to"),n.delete("from"),n.delete("to"),W.chosen=Object.fromEntries(n)}function Zt({view:e=W.view,from:t=W.
from,to:n=W.to,chosen:l={}}={}){let s=new URLSearchParams;t&&s.set("from",t),n&&s.set("to",n);for(let[c,i]of Object.entries(l))i!=null&&s.set(c,i);let a=s.toString();
return`#/${e}${a?`?${a}`:""}`}function al(e,t=!1){let n=Zt(e);if(n!==location.hash){if(!t){location.hash=n;return}history.replaceState(null,"",n),Ns()}}var ut=(e,t=!0)=>al(
{chosen:{...W.chosen,...e}},t),Je=()=>({...W.from&&{from:W.from},...W.to&&{to:W.to}});function Bn(e,t){let n=[];return W.from&&n.push(`${e} >= ${t(W.from)}`),W.
to&&n.push(`${e} <= ${t(W.to)}`),n.length?n.join(" AND "):"1"}function li(){Ns(),addEventListener("hashchange",()=>{Ns();for(let e of ei)e()})}var Ia=[["1 to 9","the views, in their order"],["0","the whole recording"],["?","this list"],["Escape","closes it"]],Wa=[["\u2190 \u2192","earlier, later"],["+ \
\u2212","closer, farther (also \u2191 \u2193 with Ctrl, or the wheel with Ctrl)"],["\u2191 \u2193","the lane above, below"],[", .","the previous, the next call \
of the lane"],["Enter","as close as the chosen call"],["Home End","the beginning, the end"]],Vn=document.getElementById("keys"),ni=(e,t)=>[x("h3",{},e),x("dl",{
class:"keys"},t.map(([n,l])=>x("div",{},x("dt",{},x("kbd",{},n)),x("dd",{},l))))];function si(){Vn.replaceChildren(x("h2",{id:"keys-title"},"Keys"),...ni("Every\
where",Ia),...ni("On the timeline",Wa),x("button",{onclick:()=>Vn.close()},"Close"))}var Ba=e=>e instanceof HTMLElement&&(e.isContentEditable||/^(INPUT|SELECT|TEXTAREA)$/.
test(e.tagName));function oi(e,t){if(e.ctrlKey||e.metaKey||e.altKey||Ba(e.target)||Vn.open)return;let n=Number(e.key);if(e.key==="?")Vn.showModal();else if(e.key===
"0")al({from:null,to:null});else if(n>=1&&n<=t.length)al({view:t[n-1].name});else return;e.preventDefault()}var ii=new Map;function he({caption:e,columns:t,rows:n,sorted:l=null,choose:s=null,key:a=null,chosen:c=null,most:i=200}){let f=ii.get(e)??{by:l,down:!0};ii.set(
e,f);let m=x("tbody"),d=x("p",{class:"quiet"});function g(){let M=t[f.by],L=n;M?.sort&&(L=[...n].sort((y,O)=>{let[_,A]=[M.sort(y),M.sort(O)],S=_===A?0:_==null?-1:
A==null?1:_<A?-1:1;return f.down?-S:S})),m.replaceChildren(...L.slice(0,i).map(y=>{let O=x("tr",{"aria-selected":a&&c!==null?String(a(y))===String(c):void 0});return t.
forEach((_,A)=>{let S=_.node?_.node(y):_.text(y);O.append(x(A===0?"th":"td",{scope:A===0?"row":void 0,class:_.number?"number":void 0},A===0&&s?x("button",{class:"\
plain",onclick:()=>s(y)},S):S))}),O})),d.textContent=n.length>i?`${i} of ${n.length} rows are shown.`:"",w.forEach((y,O)=>y.setAttribute("aria-sort",O!==f.by?"n\
one":f.down?"descending":"ascending"))}let w=t.map((M,L)=>x("th",{scope:"col",class:M.number?"number":void 0,title:M.title},M.sort?x("button",{class:"plain",onclick:()=>{
f.down=f.by===L?!f.down:!0,f.by=L,g()}},M.head):M.head)),T=x("div",{class:"table",tabindex:"0",role:"group","aria-label":e},x("table",{},x("caption",{},e),x("th\
ead",{},x("tr",{},w)),m),d);return g(),T}function Tt(e){return x("dl",{class:"facts"},e.filter(([,t])=>t!=null&&t!=="").map(([t,n])=>x("div",{},x("dt",{},t),x("\
dd",{},n))))}var te=(e,...t)=>x("section",{class:"card"},x("h2",{},e),...t),Le=e=>x("p",{class:"quiet"},e),De=e=>e?.cut?.length?x("ul",{class:"cut"},e.cut.map(t=>x(
"li",{},t))):null;var ri=e=>e===null?"made before the recording":BigInt(e).toString(16);async function Va(e,t){let n=await ge("get_collectives",Je(),t.signal);if(!n.communicators.
length){e.append(te("Collectives",Le("No collective was called in this part."),De(n)));return}for(let l of n.communicators)e.append(te(`Communicator ${ri(l.comm_id_hash)}`,
Tt([["Ranks",l.nranks],["Ranks seen here",G(l.ranks_seen)],["Collectives that several entered",G(l.rounds)],["First to last, at most",l.max_skew_ns===null?null:
V(l.max_skew_ns)]]),l.hangs.length?x("ul",{class:"cut"},l.hangs.map(s=>x("li",{},`${s.call} number ${s.number}: ranks ${s.missing} missing while ${s.present} wa\
ited ${V(s.waited_ns)}${s.is_over?"":", still"}`))):null,he({caption:"Calls",rows:l.ops,columns:[{head:"Call",text:s=>s.call},{head:"Calls",number:!0,text:s=>G(
s.calls)},{head:"Bytes",number:!0,text:s=>ze(s.bytes)},{head:"Average wait",number:!0,text:s=>V(s.average_wait_ns)},{head:"Longest wait",number:!0,text:s=>V(s.max_wait_ns)}]}),
l.last.length?he({caption:"Who came last",rows:l.last,columns:[{head:"Came last",text:s=>s.rank===null?`pid ${s.pid}`:`rank ${s.rank}`},{head:"Times",number:!0,
text:s=>G(s.times)},{head:"After the first, at most",number:!0,text:s=>V(s.max_skew_ns)},{head:"After the one before",number:!0,text:s=>V(s.late_ns)}]}):null));
e.append(te("By rank",he({caption:"By rank",rows:n.ranks,columns:[{head:"Rank",text:l=>l.rank===null?`pid ${l.pid}`:l.rank,sort:l=>l.rank},{head:"Communicator",
text:l=>ri(l.comm_id_hash)},{head:"Calls",number:!0,text:l=>G(l.calls),sort:l=>l.calls},{head:"Bytes",number:!0,text:l=>ze(l.bytes),sort:l=>l.bytes},{head:"Aver\
age wait",number:!0,text:l=>V(l.average_wait_ns),sort:l=>l.average_wait_ns},{head:"Longest wait",number:!0,text:l=>V(l.max_wait_ns),sort:l=>l.max_wait_ns},{head:"\
Last number",number:!0,text:l=>G(l.last_number),sort:l=>l.last_number}]}),De(n)))}var ai={name:"collectives",title:"Collectives",draw:Va};function Ha(e){let t={name:"all",ns:0,n:0,children:new Map};for(let n of e){if(!n.frames?.length)continue;t.ns+=n.total_ns??0,t.n+=n.n;let l=t;for(let s of[...n.
frames].reverse())l.children.has(s)||l.children.set(s,{name:s,ns:0,n:0,children:new Map}),l=l.children.get(s),l.ns+=n.total_ns??0,l.n+=n.n}return t}function qa(e,t){
let n=e;for(let l of t)if(n=n.children.get(l),!n)return null;return n}var Ya=e=>e.children.size===0?"leaf":/\.py\b|\[Python\]/.test(e.name)?"python":"native";function ci(e,t,n,l,s=0){
if(s>60)return null;let a=[...e.children.values()].sort((c,i)=>i.ns-c.ns).filter(c=>c.ns/t.ns>.002);return x("ul",{class:"icicle"},a.map(c=>{let i=x("li",{},x("\
button",{class:`box ${Ya(c)}`,title:`${c.name}: ${V(c.ns)}, ${yn(c.ns/t.ns)}, ${G(c.n)} calls`,onclick:()=>l([...n,c.name])},c.name),ci(c,t,[...n,c.name],l,s+1));
return i.style.flexGrow=String(c.ns),i.style.width=`${100*c.ns/e.ns}%`,i}))}async function Ga(e,t){let n=await ge("get_stacks",{...Je(),limit:100,...W.chosen.op&&
{op:W.chosen.op}},t.signal),l=n.stacks.filter(d=>d.frames?.length),s=Ha(l),a=[];try{a=JSON.parse(W.chosen.path??"[]")}catch{a=[]}let c=Array.isArray(a)?qa(s,a.map(
String))??s:s;c===s&&(a=[]);let i=d=>ut({path:d.length?JSON.stringify(d):null},!1),f=[...new Set(n.stacks.map(d=>d.op))].sort(),m=x("select",{id:"op"},x("option",
{value:""},"all calls"),f.map(d=>x("option",{value:d,selected:d===W.chosen.op},d)));W.chosen.op&&!f.includes(W.chosen.op)&&m.append(x("option",{value:W.chosen.op,
selected:!0},W.chosen.op)),m.addEventListener("change",()=>ut({op:m.value||null,path:null},!1)),e.append(x("section",{class:"card"},x("h2",{},"Where calls were \
made"),x("div",{class:"bar"},x("label",{for:"op"},"Of"),m,a.length?x("button",{onclick:()=>i([])},"All of it"):null,a.length?x("button",{onclick:()=>i(a.slice(0,
-1))},"One frame out"):null),l.length?x("div",{},a.length?x("p",{},a.at(-1)):null,x("p",{class:"quiet"},`${V(c.ns)} in ${G(c.n)} calls; a frame is as wide as it\
s share, the calls stand at the bottom.`),x("div",{class:"flames",role:"group","aria-label":"Flame graph"},ci(c,c,a,i))):Le("This part has no stacks: not every \
call has one (trace --stack), and recordings of the earlier agent may have none."),De(n))),n.stacks.length&&e.append(te("Stacks",he({caption:"Stacks by time",rows:n.
stacks,sorted:2,columns:[{head:"Call",text:d=>d.op,sort:d=>d.op},{head:"Calls",number:!0,text:d=>G(d.n),sort:d=>d.n},{head:"Time",number:!0,text:d=>V(d.total_ns),
sort:d=>d.total_ns},{head:"Longest",number:!0,text:d=>V(d.max_us===null?null:d.max_us*1e3),sort:d=>d.max_us},{head:"Innermost frames",text:d=>(d.frames??[]).slice(
0,3).join(" < ")||"not known"}]})))}var ui={name:"flame",title:"Flame graph",draw:Ga};function Ua(e){let t=e.flatMap(n=>n.rows.filter(l=>l.state!=="resolved").map(l=>({...l,library:n.library})));return x("div",{},he({caption:"Rows by library of t\
his machine",rows:e,columns:[{head:"Library",text:n=>n.path},{head:"Version",text:n=>n.version??""},{head:"Processes",number:!0,text:n=>G(n.pids.length)},{head:"\
Resolved",number:!0,text:n=>G(n.resolved)},{head:"Absent",number:!0,text:n=>G(n.absent)},{head:"Refused",number:!0,text:n=>G(n.refused)},{head:"Single-stepped",
number:!0,text:n=>G(n.single_stepped)}]}),t.length?x("details",{},x("summary",{},`${G(t.length)} rows are absent or refused`),he({caption:"Absent and refused ro\
ws",rows:t,columns:[{head:"Call",text:n=>n.call},{head:"Library",text:n=>n.library},{head:"State",text:n=>n.state},{head:"Why",text:n=>[n.reason,n.remedy].filter(
Boolean).join("; ")}]})):null)}async function Ka(e,{info:t,signal:n}){let[l,s,a]=await Promise.all([ge("get_trace_stats",{},n),Gt("SELECT id, (CASE WHEN stopped\
_at > 0 THEN stopped_at - started_at END) AS lasted_ns, kernel, os_release, cpu_model, cpu_cores, gpu_model, gpu_driver, flags, pid_filter, node, ingero_ver FRO\
M sessions ORDER BY id",50,n),t.earlier?Promise.resolve(null):Gt("SELECT backend, library, library_version, count(*) AS rows, count(DISTINCT name) AS calls FROM\
 sites GROUP BY 1, 2, 3 ORDER BY rows DESC",200,n)]),c=l.lost;e.append(te("What was lost",c===null?Le("Not known: the earlier agent kept no account of it."):c.length===
0?Le("Nothing."):he({caption:"Losses",rows:c,sorted:1,columns:[{head:"What",text:f=>f.sentence},{head:"Count",number:!0,text:f=>G(f.count),sort:f=>f.count},{head:"\
Severity",node:f=>x("span",{class:`severity ${f.severity==="info"?"low":"medium"}`},f.severity),sort:f=>f.severity},{head:"Name",text:f=>f.name}]}))),e.append(te(
"Rows in use, by library",a===null?Le("Not known: the earlier agent did not store it."):a.length===0?Le("No call of a library was captured."):he({caption:"Libra\
ries",rows:a,columns:[{head:"Library",text:f=>f.library??"the kernel"},{head:"Version",text:f=>f.library_version??""},{head:"Backend",text:f=>f.backend},{head:"\
Calls",number:!0,text:f=>G(f.calls)},{head:"Spellings",number:!0,text:f=>G(f.rows)}]}),x("p",{class:"quiet"},"Rows that saw at least one call. Which rows can be\
 attached at all, the check below says for the machine that serves this page."))),e.append(te("Runs of the agent",he({caption:"Runs",rows:s,columns:[{head:"Run",
text:f=>`${f.id}${f.node?` on ${f.node}`:""}`},{head:"Lasted",number:!0,text:f=>f.lasted_ns===null?t.live?"running":"killed":V(f.lasted_ns)},{head:"Flags",text:f=>f.
flags??""},{head:"Processes",text:f=>f.pid_filter||"all"},{head:"Kernel",text:f=>f.kernel??""},{head:"CPU",text:f=>`${f.cpu_model??""}${f.cpu_cores?`, ${f.cpu_cores}`:
""}`},{head:"Device",text:f=>f.gpu_model??""},{head:"Version",text:f=>f.ingero_ver??""}]}),Tt([["Events",G(l.events)],["Rows pruned to keep the file small",l.rows_pruned?
G(l.rows_pruned):"none"]]),De(l)));let i=x("div",{},x("button",{id:"check",onclick:async()=>{i.replaceChildren(x("p",{class:"quiet"},"Looking\u2026"));try{let f=await ge(
"get_check");i.replaceChildren(x("p",{},`This machine is ${f.status}.`),Ua(f.libraries),he({caption:"Checks of this machine",rows:f.checks,columns:[{head:"Check",
text:m=>m.name},{head:"Verdict",text:m=>m.pass===null?"could not tell":m.pass?"passed":m.optional?"missing, not needed":"failed"},{head:"What was found",text:m=>[
m.value,m.detail,m.recommendation].filter(Boolean).join("; ")}]}))}catch(f){i.replaceChildren(x("p",{role:"alert"},f.message))}}},"Check this machine"));e.append(
te("The machine that serves this page",i))}var fi={name:"health",title:"Capture",draw:Ka};var ja="uplot",Ja="u-hz",Za="u-vt",Qa="u-title",Xa="u-wrap",ec="u-under",tc="u-over",lc="u-axis",Tl="u-off",nc="u-select",sc="u-cursor-x",oc="u-cursor-y",ic="u-\
cursor-pt",rc="u-legend",ac="u-live",cc="u-inline",uc="u-series",fc="u-marker",hi="u-label",hc="u-value",Sn="width",kn="height";var di="bottom",Ql="left",Ds="right",Js="#000",mi=Js+"0",Ps="mousemove",pi="mousedown",Rs="mouseup",gi="mouseenter",wi="mouseleave",bi="dblclick",dc="resize",mc="\
scroll",yi="change",Un="dppxchange",Zs="--",on=typeof window<"u",Ws=on?document:null,en=on?window:null,pc=on?navigator:null,ue,Hn;function Bs(){let e=devicePixelRatio;
ue!=e&&(ue=e,Hn&&Hs(yi,Hn,Bs),Hn=matchMedia(`(min-resolution: ${ue-.001}dppx) and (max-resolution: ${ue+.001}dppx)`),Al(yi,Hn,Bs),en.dispatchEvent(new CustomEvent(
Un)))}function wt(e,t){if(t!=null){let n=e.classList;!n.contains(t)&&n.add(t)}}function Vs(e,t){let n=e.classList;n.contains(t)&&n.remove(t)}function ke(e,t,n){
e.style[t]=n+"px"}function Ot(e,t,n,l){let s=Ws.createElement(e);return t!=null&&wt(s,t),n?.insertBefore(s,l),s}function At(e,t){return Ot("div",e,t)}var xi=new WeakMap;
function Ut(e,t,n,l,s){let a="translate("+t+"px,"+n+"px)",c=xi.get(e);a!=c&&(e.style.transform=a,xi.set(e,a),t<0||n<0||t>l||n>s?wt(e,Tl):Vs(e,Tl))}var _i=new WeakMap;
function vi(e,t,n){let l=t+n,s=_i.get(e);l!=s&&(_i.set(e,l),e.style.background=t,e.style.borderColor=n)}var Si=new WeakMap;function ki(e,t,n,l){let s=t+""+n,a=Si.
get(e);s!=a&&(Si.set(e,s),e.style.height=n+"px",e.style.width=t+"px",e.style.marginLeft=l?-t/2+"px":0,e.style.marginTop=l?-n/2+"px":0)}var Qs={passive:!0},gc={...Qs,
capture:!0};function Al(e,t,n,l){t.addEventListener(e,n,l?gc:Qs)}function Hs(e,t,n,l){t.removeEventListener(e,n,Qs)}on&&Bs();function Ft(e,t,n,l){let s;n=n||0,l=
l||t.length-1;let a=l<=2147483647;for(;l-n>1;)s=a?n+l>>1:bt((n+l)/2),t[s]<e?n=s:l=s;return e-t[n]<=t[l]-e?n:l}function Qi(e){return(n,l,s)=>{let a=-1,c=-1;for(let i=l;i<=
s;i++)if(e(n[i])){a=i;break}for(let i=s;i>=l;i--)if(e(n[i])){c=i;break}return[a,c]}}var Xi=e=>e!=null,er=e=>e!=null&&e>0,Jn=Qi(Xi),wc=Qi(er);function bc(e,t,n,l=0,s=!1){
let a=s?wc:Jn,c=s?er:Xi;[t,n]=a(e,t,n);let i=e[t],f=e[t];if(t>-1)if(l==1)i=e[t],f=e[n];else if(l==-1)i=e[n],f=e[t];else for(let m=t;m<=n;m++){let d=e[m];c(d)&&(d<
i?i=d:d>f&&(f=d))}return[i??we,f??-we]}function Zn(e,t,n,l){let s=Ti(e),a=Ti(t);e==t&&(s==-1?(e*=n,t/=n):(e/=n,t*=n));let c=n==10?Qt:tr,i=s==1?bt:Ct,f=a==1?Ct:bt,
m=i(c(We(e))),d=f(c(We(t))),g=tn(n,m),w=tn(n,d);return n==10&&(m<0&&(g=be(g,-m)),d<0&&(w=be(w,-d))),l||n==2?(e=g*s,t=w*a):(e=or(e,g),t=Qn(t,w)),[e,t]}function Xs(e,t,n,l){
let s=Zn(e,t,n,l);return e==0&&(s[0]=0),t==0&&(s[1]=0),s}var eo=.1,Mi={mode:3,pad:eo},En={pad:0,soft:null,mode:0},yc={min:En,max:En};function Kn(e,t,n,l){return Xn(
n)?Ei(e,t,n):(En.pad=n,En.soft=l?0:null,En.mode=l?3:0,Ei(e,t,yc))}function ae(e,t){return e??t}function xc(e,t,n){for(t=ae(t,0),n=ae(n,e.length-1);t<=n;){if(e[t]!=
null)return!0;t++}return!1}function Ei(e,t,n){let l=n.min,s=n.max,a=ae(l.pad,0),c=ae(s.pad,0),i=ae(l.hard,-we),f=ae(s.hard,we),m=ae(l.soft,we),d=ae(s.soft,-we),
g=ae(l.mode,0),w=ae(s.mode,0),T=t-e,M=Qt(T),L=st(We(e),We(t)),y=Qt(L),O=We(y-M);(T<1e-24||O>10)&&(T=0,(e==0||t==0)&&(T=1e-24,g==2&&m!=we&&(a=0),w==2&&d!=-we&&(c=
0)));let _=T||L||1e3,A=Qt(_),S=tn(10,bt(A)),j=_*(T==0?e==0?.1:1:a),$=be(or(e-j,S/10),24),J=e>=m&&(g==1||g==3&&$<=m||g==2&&$>=m)?m:we,Y=st(i,$<J&&e>=J?J:zt(J,$)),
Q=_*(T==0?t==0?.1:1:c),Z=be(Qn(t+Q,S/10),24),C=t<=d&&(w==1||w==3&&Z>=d||w==2&&Z<=d)?d:-we,ee=zt(f,Z>C&&t<=C?C:st(C,Z));return Y==ee&&Y==0&&(ee=100),[Y,ee]}var _c=new Intl.
NumberFormat(on?pc.language:"en-US"),to=e=>_c.format(e),yt=Math,Gn=yt.PI,We=yt.abs,bt=yt.floor,Ie=yt.round,Ct=yt.ceil,zt=yt.min,st=yt.max,tn=yt.pow,Ti=yt.sign,Qt=yt.
log10,tr=yt.log2,vc=(e,t=1)=>yt.sinh(e)*t,Os=(e,t=1)=>yt.asinh(e/t),we=1/0;function Ai(e){return(Qt((e^e>>31)-(e>>31))|0)+1}function qs(e,t,n){return zt(st(e,t),
n)}function lr(e){return typeof e=="function"}function se(e){return lr(e)?e:()=>e}var Sc=()=>{},nr=e=>e,sr=(e,t)=>t,kc=e=>null,Ci=e=>!0,$i=(e,t)=>e==t,Mc=/\.\d*?(?=9{6,}|0{6,})/gm,
Cl=e=>{if(rr(e)||ul.has(e))return e;let t=`${e}`,n=t.match(Mc);if(n==null)return e;let l=n[0].length-1;if(t.indexOf("e-")!=-1){let[s,a]=t.split("e");return+`${Cl(
s)}e${a}`}return be(e,l)};function Ml(e,t){return Cl(be(Cl(e/t))*t)}function Qn(e,t){return Cl(Ct(Cl(e/t))*t)}function or(e,t){return Cl(bt(Cl(e/t))*t)}function be(e,t=0){
if(rr(e))return e;let n=10**t,l=e*n*(1+Number.EPSILON);return Ie(l)/n}var ul=new Map;function ir(e){return((""+e).split(".")[1]||"").length}function An(e,t,n,l){
let s=[],a=l.map(ir);for(let c=t;c<n;c++){let i=We(c),f=be(tn(e,c),i);for(let m=0;m<l.length;m++){let d=e==10?+`${l[m]}e${c}`:l[m]*f,g=(c>=0?0:i)+(c>=a[m]?0:a[m]),
w=e==10?d:be(d,g);s.push(w),ul.set(w,g)}}return s}var Tn={},lo=[],ln=[null,null],cl=Array.isArray,rr=Number.isInteger,Ec=e=>e===void 0;function Li(e){return typeof e==
"string"}function Xn(e){let t=!1;if(e!=null){let n=e.constructor;t=n==null||n==Object}return t}function Tc(e){return e!=null&&typeof e=="object"}var Ac=Object.getPrototypeOf(
Uint8Array),ar="__proto__";function nn(e,t=Xn){let n;if(cl(e)){let l=e.find(s=>s!=null);if(cl(l)||t(l)){n=Array(e.length);for(let s=0;s<e.length;s++)n[s]=nn(e[s],
t)}else n=e.slice()}else if(e instanceof Ac)n=e.slice();else if(t(e)){n={};for(let l in e)l!=ar&&(n[l]=nn(e[l],t))}else n=e;return n}function Re(e){let t=arguments;
for(let n=1;n<t.length;n++){let l=t[n];for(let s in l)s!=ar&&(Xn(e[s])?Re(e[s],nn(l[s])):e[s]=nn(l[s]))}return e}var Cc=0,$c=1,Lc=2;function Nc(e,t,n){for(let l=0,
s,a=-1;l<t.length;l++){let c=t[l];if(c>a){for(s=c-1;s>=0&&e[s]==null;)e[s--]=null;for(s=c+1;s<n&&e[s]==null;)e[a=s++]=null}}}function Dc(e,t){if(Oc(e)){let c=e[0].
slice();for(let i=1;i<e.length;i++)c.push(...e[i].slice(1));return Fc(c[0])||(c=Rc(c)),c}let n=new Set;for(let c=0;c<e.length;c++){let f=e[c][0],m=f.length;for(let d=0;d<
m;d++)n.add(f[d])}let l=[Array.from(n).sort((c,i)=>c-i)],s=l[0].length,a=new Map;for(let c=0;c<s;c++)a.set(l[0][c],c);for(let c=0;c<e.length;c++){let i=e[c],f=i[0];
for(let m=1;m<i.length;m++){let d=i[m],g=Array(s).fill(void 0),w=t?t[c][m]:$c,T=[];for(let M=0;M<d.length;M++){let L=d[M],y=a.get(f[M]);L===null?w!=Cc&&(g[y]=L,
w==Lc&&T.push(y)):g[y]=L}Nc(g,T,s),l.push(g)}}return l}var Pc=typeof queueMicrotask>"u"?e=>Promise.resolve().then(e):queueMicrotask;function Rc(e){let t=e[0],n=t.
length,l=Array(n);for(let a=0;a<l.length;a++)l[a]=a;l.sort((a,c)=>t[a]-t[c]);let s=[];for(let a=0;a<e.length;a++){let c=e[a],i=Array(n);for(let f=0;f<n;f++)i[f]=
c[l[f]];s.push(i)}return s}function Oc(e){let t=e[0][0],n=t.length;for(let l=1;l<e.length;l++){let s=e[l][0];if(s.length!=n)return!1;if(s!=t){for(let a=0;a<n;a++)
if(s[a]!=t[a])return!1}}return!0}function Fc(e,t=100){let n=e.length;if(n<=1)return!0;let l=0,s=n-1;for(;l<=s&&e[l]==null;)l++;for(;s>=l&&e[s]==null;)s--;if(s<=
l)return!0;let a=st(1,bt((s-l+1)/t));for(let c=e[l],i=l+a;i<=s;i+=a){let f=e[i];if(f!=null){if(f<=c)return!1;c=f}}return!0}var cr=["January","February","March",
"April","May","June","July","August","September","October","November","December"],ur=["Sunday","Monday","Tuesday","Wednesday","Thursday","Friday","Saturday"];function fr(e){
return e.slice(0,3)}var zc=ur.map(fr),Ic=cr.map(fr),Wc={MMMM:cr,MMM:Ic,WWWW:ur,WWW:zc};function vn(e){return(e<10?"0":"")+e}function Bc(e){return(e<10?"00":e<100?
"0":"")+e}var Vc={YYYY:e=>e.getFullYear(),YY:e=>(e.getFullYear()+"").slice(2),MMMM:(e,t)=>t.MMMM[e.getMonth()],MMM:(e,t)=>t.MMM[e.getMonth()],MM:e=>vn(e.getMonth()+
1),M:e=>e.getMonth()+1,DD:e=>vn(e.getDate()),D:e=>e.getDate(),WWWW:(e,t)=>t.WWWW[e.getDay()],WWW:(e,t)=>t.WWW[e.getDay()],HH:e=>vn(e.getHours()),H:e=>e.getHours(),
h:e=>{let t=e.getHours();return t==0?12:t>12?t-12:t},AA:e=>e.getHours()>=12?"PM":"AM",aa:e=>e.getHours()>=12?"pm":"am",a:e=>e.getHours()>=12?"p":"a",mm:e=>vn(e.
getMinutes()),m:e=>e.getMinutes(),ss:e=>vn(e.getSeconds()),s:e=>e.getSeconds(),fff:e=>Bc(e.getMilliseconds())};function no(e,t){t=t||Wc;let n=[],l=/\{([a-z]+)\}|[^{]+/gi,
s;for(;s=l.exec(e);)n.push(s[0][0]=="{"?Vc[s[1]]:s[0]);return a=>{let c="";for(let i=0;i<n.length;i++)c+=typeof n[i]=="string"?n[i]:n[i](a,t);return c}}var Hc=new Intl.
DateTimeFormat().resolvedOptions().timeZone;function qc(e,t){let n;return t=="UTC"||t=="Etc/UTC"?n=new Date(+e+e.getTimezoneOffset()*6e4):t==Hc?n=e:(n=new Date(
e.toLocaleString("en-US",{timeZone:t})),n.setMilliseconds(e.getMilliseconds())),n}var hr=e=>e%1==0,jn=[1,2,2.5,5],Yc=An(10,-32,0,jn),dr=An(10,0,32,jn),Gc=dr.filter(
hr),El=Yc.concat(dr),so=`
`,mr="{YYYY}",Ni=so+mr,pr="{M}/{D}",Mn=so+pr,qn=Mn+"/{YY}",gr="{aa}",Uc="{h}:{mm}",Xl=Uc+gr,Di=so+Xl,Pi=":{ss}",de=null;function wr(e){let t=e*1e3,n=t*60,l=n*60,
s=l*24,a=s*30,c=s*365,f=(e==1?An(10,0,3,jn).filter(hr):An(10,-3,0,jn)).concat([t,t*5,t*10,t*15,t*30,n,n*5,n*10,n*15,n*30,l,l*2,l*3,l*4,l*6,l*8,l*12,s,s*2,s*3,s*
4,s*5,s*6,s*7,s*8,s*9,s*10,s*15,a,a*2,a*3,a*4,a*6,c,c*2,c*5,c*10,c*25,c*50,c*100]),m=[[c,mr,de,de,de,de,de,de,1],[s*28,"{MMM}",Ni,de,de,de,de,de,1],[s,pr,Ni,de,
de,de,de,de,1],[l,"{h}"+gr,qn,de,Mn,de,de,de,1],[n,Xl,qn,de,Mn,de,de,de,1],[t,Pi,qn+" "+Xl,de,Mn+" "+Xl,de,Di,de,1],[e,Pi+".{fff}",qn+" "+Xl,de,Mn+" "+Xl,de,Di,
de,1]];function d(g){return(w,T,M,L,y,O)=>{let _=[],A=y>=c,S=y>=a&&y<c,j=g(M),$=be(j*e,3),J=Fs(j.getFullYear(),A?0:j.getMonth(),S||A?1:j.getDate()),Y=be(J*e,3);
if(S||A){let Q=S?y/a:0,Z=A?y/c:0,C=$==Y?$:be(Fs(J.getFullYear()+Z,J.getMonth()+Q,1)*e,3),ee=new Date(Ie(C/e)),F=ee.getFullYear(),U=ee.getMonth();for(let H=0;C<=
L;H++){let oe=Fs(F+Z*H,U+Q*H,1),B=oe-g(be(oe*e,3));C=be((+oe+B)*e,3),C<=L&&_.push(C)}}else{let Q=y>=s?s:y,Z=bt(M)-bt($),C=Y+Z+Qn($-Y,Q);_.push(C);let ee=g(C),F=ee.
getHours()+ee.getMinutes()/n+ee.getSeconds()/l,U=y/l,H=w.axes[T]._space,oe=O/H;for(;C=be(C+y,e==1?0:3),!(C>L);)if(U>1){let B=bt(be(F+U,6))%24,ie=g(C).getHours()-
B;ie>1&&(ie=-1),C-=ie*l,F=(F+U)%24;let me=_[_.length-1];be((C-me)/y,3)*oe>=.7&&_.push(C)}else _.push(C)}return _}}return[f,m,d]}var[Kc,jc,Jc]=wr(1),[Zc,Qc,Xc]=wr(
.001);An(2,-53,53,[1]);function Ri(e,t){return e.map(n=>n.map((l,s)=>s==0||s==8||l==null?l:t(s==1||n[8]==0?l:n[1]+l)))}function Oi(e,t){return(n,l,s,a,c)=>{let i=t.
find(M=>c>=M[0])||t[t.length-1],f,m,d,g,w,T;return l.map(M=>{let L=e(M),y=L.getFullYear(),O=L.getMonth(),_=L.getDate(),A=L.getHours(),S=L.getMinutes(),j=L.getSeconds(),
$=y!=f&&i[2]||O!=m&&i[3]||_!=d&&i[4]||A!=g&&i[5]||S!=w&&i[6]||j!=T&&i[7]||i[1];return f=y,m=O,d=_,g=A,w=S,T=j,$(L)})}}function eu(e,t){let n=no(t);return(l,s,a,c,i)=>s.
map(f=>n(e(f)))}function Fs(e,t,n){return new Date(e,t,n)}function Fi(e,t){return t(e)}var tu="{YYYY}-{MM}-{DD} {h}:{mm}{aa}";function zi(e,t){return(n,l,s,a)=>a==
null?Zs:t(e(l))}function lu(e,t){let n=e.series[t];return n.width?n.stroke(e,t):n.points.width?n.points.stroke(e,t):null}function nu(e,t){return e.series[t].fill(
e,t)}var su={show:!0,live:!0,isolate:!1,mount:Sc,markers:{show:!0,width:2,stroke:lu,fill:nu,dash:"solid"},idx:null,idxs:null,values:[]};function ou(e,t){let n=e.
cursor.points,l=At(),s=n.size(e,t);ke(l,Sn,s),ke(l,kn,s);let a=s/-2;ke(l,"marginLeft",a),ke(l,"marginTop",a);let c=n.width(e,t,s);return c&&ke(l,"borderWidth",c),
l}function iu(e,t){let n=e.series[t].points;return n._fill||n._stroke}function ru(e,t){let n=e.series[t].points;return n._stroke||n._fill}function au(e,t){return e.
series[t].points.size}var zs=[0,0];function cu(e,t,n){return zs[0]=t,zs[1]=n,zs}function Yn(e,t,n,l=!0){return s=>{s.button==0&&(!l||s.target==t)&&n(s)}}function Is(e,t,n,l=!0){
return s=>{(!l||s.target==t)&&n(s)}}var uu={show:!0,x:!0,y:!0,lock:!1,move:cu,points:{one:!1,show:ou,size:au,width:0,stroke:ru,fill:iu},bind:{mousedown:Yn,mouseup:Yn,
click:Yn,dblclick:Yn,mousemove:Is,mouseleave:Is,mouseenter:Is},drag:{setScale:!0,x:!0,y:!1,dist:0,uni:null,click:(e,t)=>{t.stopPropagation(),t.stopImmediatePropagation()},
_x:!1,_y:!1},focus:{dist:(e,t,n,l,s)=>l-s,prox:-1,bias:0},hover:{skip:[void 0],prox:null,bias:0},left:-10,top:-10,idx:null,dataIdx:null,idxs:null,event:null},br={
show:!0,stroke:"rgba(0,0,0,0.07)",width:2},oo=Re({},br,{filter:sr}),yr=Re({},oo,{size:10}),xr=Re({},br,{show:!1}),io='12px system-ui, -apple-system, "Segoe UI",\
 Roboto, "Helvetica Neue", Arial, "Noto Sans", sans-serif, "Apple Color Emoji", "Segoe UI Emoji", "Segoe UI Symbol", "Noto Color Emoji"',_r="bold "+io,vr=1.5,Ii={
show:!0,scale:"x",stroke:Js,space:50,gap:5,alignTo:1,size:50,labelGap:0,labelSize:30,labelFont:_r,side:2,grid:oo,ticks:yr,border:xr,font:io,lineGap:vr,rotate:0},
fu="Value",hu="Time",Wi={show:!0,scale:"x",auto:!1,sorted:1,min:we,max:-we,idxs:[]};function du(e,t,n,l,s){return t.map(a=>a==null?"":to(a))}function mu(e,t,n,l,s,a,c){
let i=[],f=ul.get(s)||0;n=c?n:be(Qn(n,s),f);for(let m=n;m<=l;m=be(m+s,f))i.push(Object.is(m,-0)?0:m);return i}function Ys(e,t,n,l,s,a,c){let i=[],f=e.scales[e.axes[t].
scale].log,m=f==10?Qt:tr,d=bt(m(n));s=tn(f,d),f==10&&(s=El[Ft(s,El)]);let g=n,w=s*f;f==10&&(w=El[Ft(w,El)]);do i.push(g),g=g+s,f==10&&!ul.has(g)&&(g=be(g,ul.get(
s))),g>=w&&(s=g,w=s*f,f==10&&(w=El[Ft(w,El)]));while(g<=l);return i}function pu(e,t,n,l,s,a,c){let f=e.scales[e.axes[t].scale].asinh,m=l>f?Ys(e,t,st(f,n),l,s):[
f],d=l>=0&&n<=0?[0]:[];return(n<-f?Ys(e,t,st(f,-l),-n,s):[f]).reverse().map(w=>-w).concat(d,m)}var Sr=/./,gu=/[12357]/,wu=/[125]/,Bi=/1/,Gs=(e,t,n,l)=>e.map((s,a)=>t==
4&&s==0||a%l==0&&n.test(s.toExponential()[s<0?1:0])?s:null);function bu(e,t,n,l,s){let a=e.axes[n],c=a.scale,i=e.scales[c],f=e.valToPos,m=a._space,d=f(10,c),g=f(
9,c)-d>=m?Sr:f(7,c)-d>=m?gu:f(5,c)-d>=m?wu:Bi;if(g==Bi){let w=We(f(1,c)-d);if(w<m)return Gs(t.slice().reverse(),i.distr,g,Ct(m/w)).reverse()}return Gs(t,i.distr,
g,1)}function yu(e,t,n,l,s){let a=e.axes[n],c=a.scale,i=a._space,f=e.valToPos,m=We(f(1,c)-f(2,c));return m<i?Gs(t.slice().reverse(),3,Sr,Ct(i/m)).reverse():t}function xu(e,t,n,l){
return l==null?Zs:t==null?"":to(t)}var Vi={show:!0,scale:"y",stroke:Js,space:30,gap:5,alignTo:1,size:50,labelGap:0,labelSize:30,labelFont:_r,side:3,grid:oo,ticks:yr,
border:xr,font:io,lineGap:vr,rotate:0};function _u(e,t){let n=3+(e||1)*2;return be(n*t,3)}function vu(e,t){let{scale:n,idxs:l}=e.series[0],s=e._data[0],a=e.valToPos(
s[l[0]],n,!0),c=e.valToPos(s[l[1]],n,!0),i=We(c-a),f=e.series[t],m=i/(f.points.space*ue);return l[1]-l[0]<=m}var Hi={scale:null,auto:!0,sorted:0,min:we,max:-we},
kr=(e,t,n,l,s)=>s,qi={show:!0,auto:!0,sorted:0,gaps:kr,alpha:1,facets:[Re({},Hi,{scale:"x"}),Re({},Hi,{scale:"y"})]},Yi={scale:"y",auto:!0,sorted:0,show:!0,spanGaps:!1,
gaps:kr,alpha:1,points:{show:vu,filter:null},values:null,min:we,max:-we,idxs:[],path:null,clip:null};function Su(e,t,n,l,s){return n/10}var Mr={time:!0,auto:!0,
distr:1,log:10,asinh:1,min:null,max:null,dir:1,ori:0},ku=Re({},Mr,{time:!1,ori:1}),Gi={};function Er(e,t){let n=Gi[e];return n||(n={key:e,plots:[],sub(l){n.plots.
push(l)},unsub(l){n.plots=n.plots.filter(s=>s!=l)},pub(l,s,a,c,i,f,m){for(let d=0;d<n.plots.length;d++)n.plots[d]!=s&&n.plots[d].pub(l,s,a,c,i,f,m)}},e!=null&&(Gi[e]=
n)),n}var sn=1,Us=2;function $l(e,t,n){let l=e.mode,s=e.series[t],a=l==2?e._data[t]:e._data,c=e.scales,i=e.bbox,f=a[0],m=l==2?a[1]:a[t],d=l==2?c[s.facets[0].scale]:
c[e.series[0].scale],g=l==2?c[s.facets[1].scale]:c[s.scale],w=i.left,T=i.top,M=i.width,L=i.height,y=e.valToPosH,O=e.valToPosV;return d.ori==0?n(s,f,m,d,g,y,O,w,
T,M,L,ts,rn,ns,Ar,$r):n(s,f,m,d,g,O,y,T,w,L,M,ls,an,co,Cr,Lr)}function ro(e,t){let n=0,l=0,s=ae(e.bands,lo);for(let a=0;a<s.length;a++){let c=s[a];c.series[0]==
t?n=c.dir:c.series[1]==t&&(c.dir==1?l|=1:l|=2)}return[n,l==1?-1:l==2?1:l==3?2:0]}function Mu(e,t,n,l,s){let a=e.mode,c=e.series[t],i=a==2?c.facets[1].scale:c.scale,
f=e.scales[i];return s==-1?f.min:s==1?f.max:f.distr==3?f.dir==1?f.min:f.max:0}function Xt(e,t,n,l,s,a){return $l(e,t,(c,i,f,m,d,g,w,T,M,L,y)=>{let O=c.pxRound,_=m.
dir*(m.ori==0?1:-1),A=m.ori==0?rn:an,S,j;_==1?(S=n,j=l):(S=l,j=n);let $=O(g(i[S],m,L,T)),J=O(w(f[S],d,y,M)),Y=O(g(i[j],m,L,T)),Q=O(w(a==1?d.max:d.min,d,y,M)),Z=new Path2D(
s);return A(Z,Y,Q),A(Z,$,Q),A(Z,$,J),Z})}function es(e,t,n,l,s,a){let c=null;if(e.length>0){c=new Path2D;let i=t==0?ns:co,f=n;for(let g=0;g<e.length;g++){let w=e[g];
if(w[1]>w[0]){let T=w[0]-f;T>0&&i(c,f,l,T,l+a),f=w[1]}}let m=n+s-f,d=10;m>0&&i(c,f,l-d/2,m,l+a+d)}return c}function Eu(e,t,n){let l=e[e.length-1];l&&l[0]==t?l[1]=
n:e.push([t,n])}function ao(e,t,n,l,s,a,c){let i=[],f=e.length;for(let m=s==1?n:l;m>=n&&m<=l;m+=s)if(t[m]===null){let g=m,w=m;if(s==1)for(;++m<=l&&t[m]===null;)
w=m;else for(;--m>=n&&t[m]===null;)w=m;let T=a(e[g]),M=w==g?T:a(e[w]),L=g-s;T=c<=0&&L>=0&&L<f?a(e[L]):T;let O=w+s;M=c>=0&&O>=0&&O<f?a(e[O]):M,M>=T&&i.push([T,M])}
return i}function Ui(e){return e==0?nr:e==1?Ie:t=>Ml(t,e)}function Tr(e){let t=e==0?ts:ls,n=e==0?(s,a,c,i,f,m)=>{s.arcTo(a,c,i,f,m)}:(s,a,c,i,f,m)=>{s.arcTo(c,a,
f,i,m)},l=e==0?(s,a,c,i,f)=>{s.rect(a,c,i,f)}:(s,a,c,i,f)=>{s.rect(c,a,f,i)};return(s,a,c,i,f,m=0,d=0)=>{m==0&&d==0?l(s,a,c,i,f):(m=zt(m,i/2,f/2),d=zt(d,i/2,f/2),
t(s,a+m,c),n(s,a+i,c,a+i,c+f,m),n(s,a+i,c+f,a,c+f,d),n(s,a,c+f,a,c,d),n(s,a,c,a+i,c,m),s.closePath())}}var ts=(e,t,n)=>{e.moveTo(t,n)},ls=(e,t,n)=>{e.moveTo(n,t)},
rn=(e,t,n)=>{e.lineTo(t,n)},an=(e,t,n)=>{e.lineTo(n,t)},ns=Tr(0),co=Tr(1),Ar=(e,t,n,l,s,a)=>{e.arc(t,n,l,s,a)},Cr=(e,t,n,l,s,a)=>{e.arc(n,t,l,s,a)},$r=(e,t,n,l,s,a,c)=>{
e.bezierCurveTo(t,n,l,s,a,c)},Lr=(e,t,n,l,s,a,c)=>{e.bezierCurveTo(n,t,s,l,c,a)};function Nr(e){return(t,n,l,s,a)=>$l(t,n,(c,i,f,m,d,g,w,T,M,L,y)=>{let{pxRound:O,
points:_}=c,A,S;m.ori==0?(A=ts,S=Ar):(A=ls,S=Cr);let j=be(_.width*ue,3),$=(_.size-_.width)/2*ue,J=be($*2,3),Y=new Path2D,Q=new Path2D,{left:Z,top:C,width:ee,height:F}=t.
bbox;ns(Q,Z-J,C-J,ee+J*2,F+J*2);let U=H=>{if(f[H]!=null){let oe=O(g(i[H],m,L,T)),B=O(w(f[H],d,y,M));A(Y,oe+$,B),S(Y,oe,B,$,0,Gn*2)}};if(a)a.forEach(U);else for(let H=l;H<=
s;H++)U(H);return{stroke:j>0?Y:null,fill:Y,clip:Q,flags:sn|Us}})}function Dr(e){return(t,n,l,s,a,c)=>{l!=s&&(a!=l&&c!=l&&e(t,n,l),a!=s&&c!=s&&e(t,n,s),e(t,n,c))}}
var Tu=Dr(rn),Au=Dr(an);function Pr(e){let t=ae(e?.alignGaps,0);return(n,l,s,a)=>$l(n,l,(c,i,f,m,d,g,w,T,M,L,y)=>{[s,a]=Jn(f,s,a);let O=c.pxRound,_=F=>O(g(F,m,L,
T)),A=F=>O(w(F,d,y,M)),S,j;m.ori==0?(S=rn,j=Tu):(S=an,j=Au);let $=m.dir*(m.ori==0?1:-1),J={stroke:new Path2D,fill:null,clip:null,band:null,gaps:null,flags:sn},Y=J.
stroke,Q=!1;if(a-s>=L*4){let F=z=>n.posToVal(z,m.key,!0),U=null,H=null,oe,B,rt,Me=_(i[$==1?s:a]),ie=_(i[s]),me=_(i[a]),le=F($==1?ie+1:me-1);for(let z=$==1?s:a;z>=
s&&z<=a;z+=$){let Oe=i[z],Ee=($==1?Oe<le:Oe>le)?Me:_(Oe),fe=f[z];Ee==Me?fe!=null?(B=fe,U==null?(S(Y,Ee,A(B)),oe=U=H=B):B<U?U=B:B>H&&(H=B)):fe===null&&(Q=!0):(U!=
null&&j(Y,Me,A(U),A(H),A(oe),A(B)),fe!=null?(B=fe,S(Y,Ee,A(B)),U=H=oe=B):(U=H=null,fe===null&&(Q=!0)),Me=Ee,le=F(Me+$))}U!=null&&U!=H&&rt!=Me&&j(Y,Me,A(U),A(H),
A(oe),A(B))}else for(let F=$==1?s:a;F>=s&&F<=a;F+=$){let U=f[F];U===null?Q=!0:U!=null&&S(Y,_(i[F]),A(U))}let[C,ee]=ro(n,l);if(c.fill!=null||C!=0){let F=J.fill=new Path2D(
Y),U=c.fillTo(n,l,c.min,c.max,C),H=A(U),oe=_(i[s]),B=_(i[a]);$==-1&&([B,oe]=[oe,B]),S(F,B,H),S(F,oe,H)}if(!c.spanGaps){let F=[];Q&&F.push(...ao(i,f,s,a,$,_,t)),
J.gaps=F=c.gaps(n,l,s,a,F),J.clip=es(F,m.ori,T,M,L,y)}return ee!=0&&(J.band=ee==2?[Xt(n,l,s,a,Y,-1),Xt(n,l,s,a,Y,1)]:Xt(n,l,s,a,Y,ee)),J})}function Cu(e){let t=ae(
e.align,1),n=ae(e.ascDesc,!1),l=ae(e.alignGaps,0),s=ae(e.extend,!1);return(a,c,i,f)=>$l(a,c,(m,d,g,w,T,M,L,y,O,_,A)=>{[i,f]=Jn(g,i,f);let S=m.pxRound,{left:j,width:$}=a.
bbox,J=ie=>S(M(ie,w,_,y)),Y=ie=>S(L(ie,T,A,O)),Q=w.ori==0?rn:an,Z={stroke:new Path2D,fill:null,clip:null,band:null,gaps:null,flags:sn},C=Z.stroke,ee=w.dir*(w.ori==
0?1:-1),F=Y(g[ee==1?i:f]),U=J(d[ee==1?i:f]),H=U,oe=U;s&&t==-1&&(oe=j,Q(C,oe,F)),Q(C,U,F);for(let ie=ee==1?i:f;ie>=i&&ie<=f;ie+=ee){let me=g[ie];if(me==null)continue;
let le=J(d[ie]),z=Y(me);t==1?Q(C,le,F):Q(C,H,z),Q(C,le,z),F=z,H=le}let B=H;s&&t==1&&(B=j+$,Q(C,B,F));let[rt,Me]=ro(a,c);if(m.fill!=null||rt!=0){let ie=Z.fill=new Path2D(
C),me=m.fillTo(a,c,m.min,m.max,rt),le=Y(me);Q(ie,B,le),Q(ie,oe,le)}if(!m.spanGaps){let ie=[];ie.push(...ao(d,g,i,f,ee,J,l));let me=m.width*ue/2,le=n||t==1?me:-me,
z=n||t==-1?-me:me;ie.forEach(Oe=>{Oe[0]+=le,Oe[1]+=z}),Z.gaps=ie=m.gaps(a,c,i,f,ie),Z.clip=es(ie,w.ori,y,O,_,A)}return Me!=0&&(Z.band=Me==2?[Xt(a,c,i,f,C,-1),Xt(
a,c,i,f,C,1)]:Xt(a,c,i,f,C,Me)),Z})}function Ki(e,t,n,l,s,a,c=we){if(e.length>1){let i=null;for(let f=0,m=1/0;f<e.length;f++)if(t[f]!==void 0){if(i!=null){let d=We(
e[f]-e[i]);d<m&&(m=d,c=We(n(e[f],l,s,a)-n(e[i],l,s,a)))}i=f}}return c}function $u(e){e=e||Tn;let t=ae(e.size,[.6,we,1]),n=e.align||0,l=e.gap||0,s=e.radius;s=s==
null?[0,0]:typeof s=="number"?[s,0]:s;let a=se(s),c=1-t[0],i=ae(t[1],we),f=ae(t[2],1),m=ae(e.disp,Tn),d=ae(e.each,T=>{}),{fill:g,stroke:w}=m;return(T,M,L,y)=>$l(
T,M,(O,_,A,S,j,$,J,Y,Q,Z,C)=>{let ee=O.pxRound,F=n,U=l*ue,H=i*ue,oe=f*ue,B,rt;S.ori==0?[B,rt]=a(T,M):[rt,B]=a(T,M);let Me=S.dir*(S.ori==0?1:-1),ie=S.ori==0?ns:co,
me=S.ori==0?d:(P,ye,Fe,Ol,pl,Wt,gl)=>{d(P,ye,Fe,pl,Ol,gl,Wt)},le=ae(T.bands,lo).find(P=>P.series[0]==M),z=le!=null?le.dir:0,Oe=O.fillTo(T,M,O.min,O.max,z),Xe=ee(
J(Oe,j,C,Q)),Ee,fe,Lt,ht=Z,Ae=ee(O.width*ue),It=!1,Kt=null,_t=null,tl=null,Dl=null;g!=null&&(Ae==0||w!=null)&&(It=!0,Kt=g.values(T,M,L,y),_t=new Map,new Set(Kt).
forEach(P=>{P!=null&&_t.set(P,new Path2D)}),Ae>0&&(tl=w.values(T,M,L,y),Dl=new Map,new Set(tl).forEach(P=>{P!=null&&Dl.set(P,new Path2D)})));let{x0:Pl,size:un}=m;
if(Pl!=null&&un!=null){F=1,_=Pl.values(T,M,L,y),Pl.unit==2&&(_=_.map(Fe=>T.posToVal(Y+Fe*Z,S.key,!0)));let P=un.values(T,M,L,y);un.unit==2?fe=P[0]*Z:fe=$(P[0],S,
Z,Y)-$(0,S,Z,Y),ht=Ki(_,A,$,S,Z,Y,ht),Lt=ht-fe+U}else ht=Ki(_,A,$,S,Z,Y,ht),Lt=ht*c+U,fe=ht-Lt;Lt<1&&(Lt=0),Ae>=fe/2&&(Ae=0),Lt<5&&(ee=nr);let $n=Lt>0,dl=ht-Lt-
($n?Ae:0);fe=ee(qs(dl,oe,H)),Ee=(F==0?fe/2:F==Me?0:fe)-F*Me*((F==0?U/2:0)+($n?Ae/2:0));let et={stroke:null,fill:null,clip:null,band:null,gaps:null,flags:0},Rl=It?
null:new Path2D,jt=null;if(le!=null)jt=T.data[le.series[1]];else{let{y0:P,y1:ye}=m;P!=null&&ye!=null&&(A=ye.values(T,M,L,y),jt=P.values(T,M,L,y))}let ml=B*fe,X=rt*
fe;for(let P=Me==1?L:y;P>=L&&P<=y;P+=Me){let ye=A[P];if(ye==null)continue;if(jt!=null){let at=jt[P]??0;if(ye-at==0)continue;Xe=J(at,j,C,Q)}let Fe=S.distr!=2||m!=
null?_[P]:P,Ol=$(Fe,S,Z,Y),pl=J(ae(ye,Oe),j,C,Q),Wt=ee(Ol-Ee),gl=ee(st(pl,Xe)),dt=ee(zt(pl,Xe)),vt=gl-dt;if(ye!=null){let at=ye<0?X:ml,Nt=ye<0?ml:X;It?(Ae>0&&tl[P]!=
null&&ie(Dl.get(tl[P]),Wt,dt+bt(Ae/2),fe,st(0,vt-Ae),at,Nt),Kt[P]!=null&&ie(_t.get(Kt[P]),Wt,dt+bt(Ae/2),fe,st(0,vt-Ae),at,Nt)):ie(Rl,Wt,dt+bt(Ae/2),fe,st(0,vt-
Ae),at,Nt),me(T,M,P,Wt-Ae/2,dt,fe+Ae,vt)}}return Ae>0?et.stroke=It?Dl:Rl:It||(et._fill=O.width==0?O._fill:O._stroke??O._fill,et.width=0),et.fill=It?_t:Rl,et})}function Lu(e,t){
let n=ae(t?.alignGaps,0);return(l,s,a,c)=>$l(l,s,(i,f,m,d,g,w,T,M,L,y,O)=>{[a,c]=Jn(m,a,c);let _=i.pxRound,A=B=>_(w(B,d,y,M)),S=B=>_(T(B,g,O,L)),j,$,J;d.ori==0?
(j=ts,J=rn,$=$r):(j=ls,J=an,$=Lr);let Y=d.dir*(d.ori==0?1:-1),Q=A(f[Y==1?a:c]),Z=Q,C=[],ee=[];for(let B=Y==1?a:c;B>=a&&B<=c;B+=Y)if(m[B]!=null){let Me=f[B],ie=A(
Me);C.push(Z=ie),ee.push(S(m[B]))}let F={stroke:e(C,ee,j,J,$,_),fill:null,clip:null,band:null,gaps:null,flags:sn},U=F.stroke,[H,oe]=ro(l,s);if(i.fill!=null||H!=
0){let B=F.fill=new Path2D(U),rt=i.fillTo(l,s,i.min,i.max,H),Me=S(rt);J(B,Z,Me),J(B,Q,Me)}if(!i.spanGaps){let B=[];B.push(...ao(f,m,a,c,Y,A,n)),F.gaps=B=i.gaps(
l,s,a,c,B),F.clip=es(B,d.ori,M,L,y,O)}return oe!=0&&(F.band=oe==2?[Xt(l,s,a,c,U,-1),Xt(l,s,a,c,U,1)]:Xt(l,s,a,c,U,oe)),F})}function Nu(e){return Lu(Du,e)}function Du(e,t,n,l,s,a){
let c=e.length;if(c<2)return null;let i=new Path2D;if(n(i,e[0],t[0]),c==2)l(i,e[1],t[1]);else{let f=Array(c),m=Array(c-1),d=Array(c-1),g=Array(c-1);for(let w=0;w<
c-1;w++)d[w]=t[w+1]-t[w],g[w]=e[w+1]-e[w],m[w]=d[w]/g[w];f[0]=m[0];for(let w=1;w<c-1;w++)m[w]===0||m[w-1]===0||m[w-1]>0!=m[w]>0?f[w]=0:(f[w]=3*(g[w-1]+g[w])/((2*
g[w]+g[w-1])/m[w-1]+(g[w]+2*g[w-1])/m[w]),isFinite(f[w])||(f[w]=0));f[c-1]=m[c-2];for(let w=0;w<c-1;w++)s(i,e[w]+g[w]/3,t[w]+f[w]*g[w]/3,e[w+1]-g[w]/3,t[w+1]-f[w+
1]*g[w]/3,e[w+1],t[w+1])}return i}var Ks=new Set;function ji(){for(let e of Ks)e.syncRect(!0)}on&&(Al(dc,en,ji),Al(mc,en,ji,!0),Al(Un,en,()=>{Ze.pxRatio=ue}));var Pu=Pr(),
Ru=Nr();function Ji(e,t,n,l){return(l?[e[0],e[1]].concat(e.slice(2)):[e[0]].concat(e.slice(1))).map((a,c)=>js(a,c,t,n))}function Ou(e,t){return e.map((n,l)=>l==
0?{}:Re({},t,n))}function js(e,t,n,l){return Re({},t==0?n:l,e)}function Rr(e,t,n){return t==null?ln:[t,n]}var Fu=Rr;function zu(e,t,n){return t==null?ln:Kn(t,n,
eo,!0)}function Or(e,t,n,l){return t==null?ln:Zn(t,n,e.scales[l].log,!1)}var Iu=Or;function Fr(e,t,n,l){return t==null?ln:Xs(t,n,e.scales[l].log,!1)}var Wu=Fr;function Bu(e,t,n,l,s){
let a=st(Ai(e),Ai(t)),c=t-e,i=Ft(s/l*c,n);do{let f=n[i],m=l*f/c;if(m>=s&&a+(f<5?ul.get(f):0)<=17)return[f,m]}while(++i<n.length);return[0,0]}function Zi(e){let t,
n;return e=e.replace(/(\d+)px/,(l,s)=>(t=Ie((n=+s)*ue))+"px"),[e,t,n]}function Vu(e){e.show&&[e.font,e.labelFont].forEach(t=>{let n=be(t[2]*ue,1);t[0]=t[0].replace(
/[0-9.]+px/,n+"px"),t[1]=n})}function Ze(e,t,n){let l={mode:ae(e.mode,1)},s=l.mode;function a(o,r,u,h){let p=r.valToPct(o);return h+u*(r.dir==-1?1-p:p)}function c(o,r,u,h){
let p=r.valToPct(o);return h+u*(r.dir==-1?p:1-p)}function i(o,r,u,h){return r.ori==0?a(o,r,u,h):c(o,r,u,h)}l.valToPosH=a,l.valToPosV=c;let f=!1;l.status=0;let m=l.
root=At(ja);if(e.id!=null&&(m.id=e.id),wt(m,e.class),e.title){let o=At(Qa,m);o.textContent=e.title}let d=Ot("canvas"),g=l.ctx=d.getContext("2d"),w=At(Xa,m);Al("\
click",w,o=>{o.target===M&&(_e!=Ul||Te!=Kl)&&je.click(l,o)},!0);let T=l.under=At(ec,w);w.appendChild(d);let M=l.over=At(tc,w);e=nn(e);let L=+ae(e.pxAlign,1),y=Ui(
L);(e.plugins||[]).forEach(o=>{o.opts&&(e=o.opts(l,e)||e)});let O=e.ms||.001,_=l.series=s==1?Ji(e.series||[],Wi,Yi,!1):Ou(e.series||[null],qi),A=l.axes=Ji(e.axes||
[],Ii,Vi,!0),S=l.scales={},j=l.bands=e.bands||[];j.forEach(o=>{o.fill=se(o.fill||null),o.dir=ae(o.dir,-1)});let $=s==2?_[1].facets[0].scale:_[0].scale,J={axes:_a,
series:ga},Y=(e.drawOrder||["axes","series"]).map(o=>J[o]);function Q(o){let r=o.distr==3?u=>Qt(u>0?u:o.clamp(l,u,o.min,o.max,o.key)):o.distr==4?u=>Os(u,o.asinh):
o.distr==100?u=>o.fwd(u):u=>u;return u=>{let h=r(u),{_min:p,_max:b}=o,v=b-p;return(h-p)/v}}function Z(o){let r=S[o];if(r==null){let u=(e.scales||Tn)[o]||Tn;if(u.
from!=null){Z(u.from);let h=Re({},S[u.from],u,{key:o});h.valToPct=Q(h),S[o]=h}else{r=S[o]=Re({},o==$?Mr:ku,u),r.key=o;let h=r.time,p=r.range,b=cl(p);if((o!=$||s==
2&&!h)&&(b&&(p[0]==null||p[1]==null)&&(p={min:p[0]==null?Mi:{mode:1,hard:p[0],soft:p[0]},max:p[1]==null?Mi:{mode:1,hard:p[1],soft:p[1]}},b=!1),!b&&Xn(p))){let v=p;
p=(k,E,N)=>E==null?ln:Kn(E,N,v)}r.range=se(p||(h?Fu:o==$?r.distr==3?Iu:r.distr==4?Wu:Rr:r.distr==3?Or:r.distr==4?Fr:zu)),r.auto=se(b?!1:r.auto),r.clamp=se(r.clamp||
Su),r._min=r._max=null,r.valToPct=Q(r)}}}Z("x"),Z("y"),s==1&&_.forEach(o=>{Z(o.scale)}),A.forEach(o=>{Z(o.scale)});for(let o in e.scales)Z(o);let C=S[$],ee=C.distr,
F,U;C.ori==0?(wt(m,Ja),F=a,U=c):(wt(m,Za),F=c,U=a);let H={};for(let o in S){let r=S[o];(r.min!=null||r.max!=null)&&(H[o]={min:r.min,max:r.max},r.min=r.max=null)}
let oe=e.tzDate||(o=>new Date(Ie(o/O))),B=e.fmtDate||no,rt=O==1?Jc(oe):Xc(oe),Me=Oi(oe,Ri(O==1?jc:Qc,B)),ie=zi(oe,Fi(tu,B)),me=[],le=l.legend=Re({},su,e.legend),
z=l.cursor=Re({},uu,{drag:{y:s==2}},e.cursor),Oe=le.show,Xe=z.show,Ee=le.markers;le.idxs=me,Ee.width=se(Ee.width),Ee.dash=se(Ee.dash),Ee.stroke=se(Ee.stroke),Ee.
fill=se(Ee.fill);let fe,Lt,ht,Ae=[],It=[],Kt,_t=!1,tl={};if(le.live){let o=_[1]?_[1].values:null;_t=o!=null,Kt=_t?o(l,1,0):{_:0};for(let r in Kt)tl[r]=Zs}if(Oe)
if(fe=Ot("table",rc,m),ht=Ot("tbody",null,fe),le.mount(l,fe),_t){Lt=Ot("thead",null,fe,ht);let o=Ot("tr",null,Lt);Ot("th",null,o);for(var Dl in Kt)Ot("th",hi,o).
textContent=Dl}else wt(fe,cc),le.live&&wt(fe,ac);let Pl={show:!0},un={show:!1};function $n(o,r){if(r==0&&(_t||!le.live||s==2))return ln;let u=[],h=Ot("tr",uc,ht,
ht.childNodes[r]);wt(h,o.class),o.show||wt(h,Tl);let p=Ot("th",null,h);if(Ee.show){let k=At(fc,p);if(r>0){let E=Ee.width(l,r);E&&(k.style.border=E+"px "+Ee.dash(
l,r)+" "+Ee.stroke(l,r)),k.style.background=Ee.fill(l,r)}}let b=At(hi,p);o.label instanceof HTMLElement?b.appendChild(o.label):b.textContent=o.label,r>0&&(Ee.show||
(b.style.color=o.width>0?Ee.stroke(l,r):Ee.fill(l,r)),et("click",p,k=>{if(z._lock)return;bl(k);let E=_.indexOf(o);if((k.ctrlKey||k.metaKey)!=le.isolate){let N=_.
some((D,R)=>R>0&&R!=E&&D.show);_.forEach((D,R)=>{R>0&&Vt(R,N?R==E?Pl:un:Pl,!0,Pe.setSeries)})}else Vt(E,{show:!o.show},!0,Pe.setSeries)},!1),zl&&et(gi,p,k=>{z._lock||
(bl(k),Vt(_.indexOf(o),Jl,!0,Pe.setSeries))},!1));for(var v in Kt){let k=Ot("td",hc,h);k.textContent="--",u.push(k)}return[h,u]}let dl=new Map;function et(o,r,u,h=!0){
let p=dl.get(r)||{},b=z.bind[o](l,r,u,h);b&&(Al(o,r,p[o]=b),dl.set(r,p))}function Rl(o,r,u){let h=dl.get(r)||{};for(let p in h)(o==null||p==o)&&(Hs(p,r,h[p]),delete h[p]);
o==null&&dl.delete(r)}let jt=0,ml=0,X=0,P=0,ye=0,Fe=0,Ol=ye,pl=Fe,Wt=X,gl=P,dt=0,vt=0,at=0,Nt=0;l.bbox={};let as=!1,Ln=!1,Fl=!1,wl=!1,Nn=!1,St=!1;function cs(o,r,u){
(u||o!=l.width||r!=l.height)&&xo(o,r),Hl(!1),Fl=!0,Ln=!0,ql()}function xo(o,r){l.width=jt=X=o,l.height=ml=P=r,ye=Fe=0,ca(),ua();let u=l.bbox;dt=u.left=Ml(ye*ue,
.5),vt=u.top=Ml(Fe*ue,.5),at=u.width=Ml(X*ue,.5),Nt=u.height=Ml(P*ue,.5)}let ia=3;function ra(){let o=!1,r=0;for(;!o;){r++;let u=ya(r),h=xa(r);o=r==ia||u&&h,o||
(xo(l.width,l.height),Ln=!0)}}function aa({width:o,height:r}){cs(o,r)}l.setSize=aa;function ca(){let o=!1,r=!1,u=!1,h=!1;A.forEach((p,b)=>{if(p.show&&p._show){let{
side:v,_size:k}=p,E=v%2,N=p.label!=null?p.labelSize:0,D=k+N;D>0&&(E?(X-=D,v==3?(ye+=D,h=!0):u=!0):(P-=D,v==0?(Fe+=D,o=!0):r=!0))}}),yl[0]=o,yl[1]=u,yl[2]=r,yl[3]=
h,X-=ll[1]+ll[3],ye+=ll[3],P-=ll[2]+ll[0],Fe+=ll[0]}function ua(){let o=ye+X,r=Fe+P,u=ye,h=Fe;function p(b,v){switch(b){case 1:return o+=v,o-v;case 2:return r+=
v,r-v;case 3:return u-=v,u+v;case 0:return h-=v,h+v}}A.forEach((b,v)=>{if(b.show&&b._show){let k=b.side;b._pos=p(k,b._size),b.label!=null&&(b._lpos=p(k,b.labelSize))}})}
if(z.dataIdx==null){let o=z.hover,r=o.skip=new Set(o.skip??[]);r.add(void 0);let u=o.prox=se(o.prox),h=o.bias??=0;z.dataIdx=(p,b,v,k)=>{if(b==0)return v;let E=v,
N=u(p,b,v,k)??we,D=N>=0&&N<we,R=C.ori==0?X:P,K=z.left,ce=t[0],re=t[b];if(r.has(re[v])){E=null;let ne=null,q=null,I;if(h==0||h==-1)for(I=v;ne==null&&I-- >0;)r.has(
re[I])||(ne=I);if(h==0||h==1)for(I=v;q==null&&I++<re.length;)r.has(re[I])||(q=I);if(ne!=null||q!=null)if(D){let Se=ne==null?-1/0:F(ce[ne],C,R,0),Ce=q==null?1/0:
F(ce[q],C,R,0),Ge=K-Se,pe=Ce-K;Ge<=pe?Ge<=N&&(E=ne):pe<=N&&(E=q)}else E=q==null?ne:ne==null?q:v-ne<=q-v?ne:q}else D&&We(K-F(ce[v],C,R,0))>N&&(E=null);return E}}
let bl=o=>{z.event=o};z.idxs=me,z._lock=!1;let Qe=z.points;Qe.show=se(Qe.show),Qe.size=se(Qe.size),Qe.stroke=se(Qe.stroke),Qe.width=se(Qe.width),Qe.fill=se(Qe.fill);
let Bt=l.focus=Re({},e.focus||{alpha:.3},z.focus),zl=Bt.prox>=0,Il=zl&&Qe.one,kt=[],Wl=[],Bl=[];function _o(o,r){let u=Qe.show(l,r);if(u instanceof HTMLElement)
return wt(u,ic),wt(u,o.class),Ut(u,-10,-10,X,P),M.insertBefore(u,kt[r]),u}function vo(o,r){if(s==1||r>0){let u=s==1&&S[o.scale].time,h=o.value;o.value=u?Li(h)?zi(
oe,Fi(h,B)):h||ie:h||xu,o.label=o.label||(u?hu:fu)}if(Il||r>0){o.width=o.width==null?1:o.width,o.paths=o.paths||Pu||kc,o.fillTo=se(o.fillTo||Mu),o.pxAlign=+ae(o.
pxAlign,L),o.pxRound=Ui(o.pxAlign),o.stroke=se(o.stroke||null),o.fill=se(o.fill||null),o._stroke=o._fill=o._paths=o._focus=null;let u=_u(st(1,o.width),1),h=o.points=
Re({},{size:u,width:st(1,u*.2),stroke:o.stroke,space:u*2,paths:Ru,_stroke:null,_fill:null},o.points);h.show=se(h.show),h.filter=se(h.filter),h.fill=se(h.fill),h.
stroke=se(h.stroke),h.paths=se(h.paths),h.pxAlign=o.pxAlign}if(Oe){let u=$n(o,r);Ae.splice(r,0,u[0]),It.splice(r,0,u[1]),le.values.push(null)}if(Xe){me.splice(r,
0,null);let u=null;Il?r==0&&(u=_o(o,r)):r>0&&(u=_o(o,r)),kt.splice(r,0,u),Wl.splice(r,0,0),Bl.splice(r,0,0)}Ye("addSeries",r)}function fa(o,r){r=r??_.length,o=s==
1?js(o,r,Wi,Yi):js(o,r,{},qi),_.splice(r,0,o),vo(_[r],r)}l.addSeries=fa;function ha(o){if(_.splice(o,1),Oe){le.values.splice(o,1),It.splice(o,1);let r=Ae.splice(
o,1)[0];Rl(null,r.firstChild),r.remove()}Xe&&(me.splice(o,1),kt.splice(o,1)[0].remove(),Wl.splice(o,1),Bl.splice(o,1)),Ye("delSeries",o)}l.delSeries=ha;let yl=[
!1,!1,!1,!1];function da(o,r){if(o._show=o.show,o.show){let u=o.side%2,h=S[o.scale];h==null&&(o.scale=u?_[1].scale:$,h=S[o.scale]);let p=h.time;o.size=se(o.size),
o.space=se(o.space),o.rotate=se(o.rotate),cl(o.incrs)&&o.incrs.forEach(v=>{!ul.has(v)&&ul.set(v,ir(v))}),o.incrs=se(o.incrs||(h.distr==2?Gc:p?O==1?Kc:Zc:El)),o.
splits=se(o.splits||(p&&h.distr==1?rt:h.distr==3?Ys:h.distr==4?pu:mu)),o.stroke=se(o.stroke),o.grid.stroke=se(o.grid.stroke),o.ticks.stroke=se(o.ticks.stroke),o.
border.stroke=se(o.border.stroke);let b=o.values;o.values=cl(b)&&!cl(b[0])?se(b):p?cl(b)?Oi(oe,Ri(b,B)):Li(b)?eu(oe,b):b||Me:b||du,o.filter=se(o.filter||(h.distr>=
3&&h.log==10?bu:h.distr==3&&h.log==2?yu:sr)),o.font=Zi(o.font),o.labelFont=Zi(o.labelFont),o._size=o.size(l,null,r,0),o._space=o._rotate=o._incrs=o._found=o._splits=
o._values=null,o._size>0&&(yl[r]=!0,o._el=At(lc,w))}}function fn(o,r,u,h){let[p,b,v,k]=u,E=r%2,N=0;return E==0&&(k||b)&&(N=r==0&&!p||r==2&&!v?Ie(Ii.size/3):0),E==
1&&(p||v)&&(N=r==1&&!b||r==3&&!k?Ie(Vi.size/2):0),N}let So=l.padding=(e.padding||[fn,fn,fn,fn]).map(o=>se(ae(o,fn))),ll=l._padding=So.map((o,r)=>o(l,r,yl,0)),Ke,
Be=null,Ve=null,Dn=s==1?_[0].idxs:null,Dt=null,hn=!1;function ko(o,r){if(t=o??[],l.data=l._data=t,s==2){Ke=0;for(let u=1;u<_.length;u++)Ke+=t[u][0].length}else{
t.length==0&&(l.data=l._data=t=[[]]),Dt=t[0],Ke=Dt.length;let u=t;if(ee==2){u=t.slice();let h=u[0]=Array(Ke);for(let p=0;p<Ke;p++)h[p]=p}l._data=t=u}if(Hl(!0),Ye(
"setData"),ee==2&&(Fl=!0),r!==!1){let u=C;u.auto(l,hn)?us():sl($,u.min,u.max),wl=wl||z.left>=0,St=!0,ql()}}l.setData=ko;function us(){hn=!0;let o,r;s==1&&(Ke>0?
(Be=Dn[0]=0,Ve=Dn[1]=Ke-1,o=t[0][Be],r=t[0][Ve],ee==2?(o=Be,r=Ve):o==r&&(ee==3?[o,r]=Zn(o,o,C.log,!1):ee==4?[o,r]=Xs(o,o,C.log,!1):C.time?r=o+Ie(86400/O):[o,r]=
Kn(o,r,eo,!0))):(Be=Dn[0]=o=null,Ve=Dn[1]=r=null)),sl($,o,r)}let Pn,Vl,fs,hs,ds,ms,ps,gs,ws,ct;function Mo(o,r,u,h,p,b){o??=mi,u??=lo,h??="butt",p??=mi,b??="rou\
nd",o!=Pn&&(g.strokeStyle=Pn=o),p!=Vl&&(g.fillStyle=Vl=p),r!=fs&&(g.lineWidth=fs=r),b!=ds&&(g.lineJoin=ds=b),h!=ms&&(g.lineCap=ms=h),u!=hs&&g.setLineDash(hs=u)}
function Eo(o,r,u,h){r!=Vl&&(g.fillStyle=Vl=r),o!=ps&&(g.font=ps=o),u!=gs&&(g.textAlign=gs=u),h!=ws&&(g.textBaseline=ws=h)}function bs(o,r,u,h,p=0){if(h.length>
0&&o.auto(l,hn)&&(r==null||r.min==null)){let b=ae(Be,0),v=ae(Ve,h.length-1),k=u.min==null?bc(h,b,v,p,o.distr==3):[u.min,u.max];o.min=zt(o.min,u.min=k[0]),o.max=
st(o.max,u.max=k[1])}}let To={min:null,max:null};function ma(){for(let h in S){let p=S[h];H[h]==null&&(p.min==null||H[$]!=null&&p.auto(l,hn))&&(H[h]=To)}for(let h in S){
let p=S[h];H[h]==null&&p.from!=null&&H[p.from]!=null&&(H[h]=To)}H[$]!=null&&Hl(!0);let o={};for(let h in H){let p=H[h];if(p!=null){let b=o[h]=nn(S[h],Tc);if(p.min!=
null)Re(b,p);else if(h!=$||s==2)if(Ke==0&&b.from==null){let v=b.range(l,null,null,h);b.min=v[0],b.max=v[1]}else b.min=we,b.max=-we}}if(Ke>0){_.forEach((h,p)=>{if(s==
1){let b=h.scale,v=H[b];if(v==null)return;let k=o[b];if(p==0){let E=k.range(l,k.min,k.max,b);k.min=E[0],k.max=E[1],Be=Ft(k.min,t[0]),Ve=Ft(k.max,t[0]),Ve-Be>1&&
(t[0][Be]<k.min&&Be++,t[0][Ve]>k.max&&Ve--),h.min=Dt[Be],h.max=Dt[Ve]}else h.show&&h.auto&&bs(k,v,h,t[p],h.sorted);h.idxs[0]=Be,h.idxs[1]=Ve}else if(p>0&&h.show&&
h.auto){let[b,v]=h.facets,k=b.scale,E=v.scale,[N,D]=t[p],R=o[k],K=o[E];R!=null&&bs(R,H[k],b,N,b.sorted),K!=null&&bs(K,H[E],v,D,v.sorted),h.min=v.min,h.max=v.max}});
for(let h in o){let p=o[h],b=H[h];if(p.from==null&&(b==null||b.min==null)){let v=p.range(l,p.min==we?null:p.min,p.max==-we?null:p.max,h);p.min=v[0],p.max=v[1]}}}
for(let h in o){let p=o[h];if(p.from!=null){let b=o[p.from];if(b.min==null)p.min=p.max=null;else{let v=p.range(l,b.min,b.max,h);p.min=v[0],p.max=v[1]}}}let r={},
u=!1;for(let h in o){let p=o[h],b=S[h];if(b.min!=p.min||b.max!=p.max){b.min=p.min,b.max=p.max;let v=b.distr;b._min=v==3?Qt(b.min):v==4?Os(b.min,b.asinh):v==100?
b.fwd(b.min):b.min,b._max=v==3?Qt(b.max):v==4?Os(b.max,b.asinh):v==100?b.fwd(b.max):b.max,r[h]=u=!0}}if(u){_.forEach((h,p)=>{s==2?p>0&&r.y&&(h._paths=null):r[h.
scale]&&(h._paths=null)});for(let h in r)Fl=!0,Ye("setScale",h);Xe&&z.left>=0&&(wl=St=!0)}for(let h in H)H[h]=null}function pa(o){let r=qs(Be-1,0,Ke-1),u=qs(Ve+
1,0,Ke-1);for(;o[r]==null&&r>0;)r--;for(;o[u]==null&&u<Ke-1;)u++;return[r,u]}function ga(){if(Ke>0){let o=_.some(r=>r._focus)&&ct!=Bt.alpha;o&&(g.globalAlpha=ct=
Bt.alpha),_.forEach((r,u)=>{if(u>0&&r.show&&(Ao(u,!1),Ao(u,!0),r._paths==null)){let h=ct;ct!=r.alpha&&(g.globalAlpha=ct=r.alpha);let p=s==2?[0,t[u][0].length-1]:
pa(t[u]);r._paths=r.paths(l,u,p[0],p[1]),ct!=h&&(g.globalAlpha=ct=h)}}),_.forEach((r,u)=>{if(u>0&&r.show){let h=ct;ct!=r.alpha&&(g.globalAlpha=ct=r.alpha),r._paths!=
null&&Co(u,!1);{let p=r._paths!=null?r._paths.gaps:null,b=r.points.show(l,u,Be,Ve,p),v=r.points.filter(l,u,b,p);(b||v)&&(r.points._paths=r.points.paths(l,u,Be,Ve,
v),Co(u,!0))}ct!=h&&(g.globalAlpha=ct=h),Ye("drawSeries",u)}}),o&&(g.globalAlpha=ct=1)}}function Ao(o,r){let u=r?_[o].points:_[o];u._stroke=u.stroke(l,o),u._fill=
u.fill(l,o)}function Co(o,r){let u=r?_[o].points:_[o],{stroke:h,fill:p,clip:b,flags:v,_stroke:k=u._stroke,_fill:E=u._fill,_width:N=u.width}=u._paths;N=be(N*ue,3);
let D=null,R=N%2/2;r&&E==null&&(E=N>0?"#fff":k);let K=u.pxAlign==1&&R>0;if(K&&g.translate(R,R),!r){let ce=dt-N/2,re=vt-N/2,ne=at+N,q=Nt+N;D=new Path2D,D.rect(ce,
re,ne,q)}r?ys(k,N,u.dash,u.cap,E,h,p,v,b):wa(o,k,N,u.dash,u.cap,E,h,p,v,D,b),K&&g.translate(-R,-R)}function wa(o,r,u,h,p,b,v,k,E,N,D){let R=!1;E!=0&&j.forEach((K,ce)=>{
if(K.series[0]==o){let re=_[K.series[1]],ne=t[K.series[1]],q=(re._paths||Tn).band;cl(q)&&(q=K.dir==1?q[0]:q[1]);let I,Se=null;re.show&&q&&xc(ne,Be,Ve)?(Se=K.fill(
l,ce)||b,I=re._paths.clip):q=null,ys(r,u,h,p,Se,v,k,E,N,D,I,q),R=!0}}),R||ys(r,u,h,p,b,v,k,E,N,D)}let $o=sn|Us;function ys(o,r,u,h,p,b,v,k,E,N,D,R){Mo(o,r,u,h,p),
(E||N||R)&&(g.save(),E&&g.clip(E),N&&g.clip(N)),R?(k&$o)==$o?(g.clip(R),D&&g.clip(D),On(p,v),Rn(o,b,r)):k&Us?(On(p,v),g.clip(R),Rn(o,b,r)):k&sn&&(g.save(),g.clip(
R),D&&g.clip(D),On(p,v),g.restore(),Rn(o,b,r)):(On(p,v),Rn(o,b,r)),(E||N||R)&&g.restore()}function Rn(o,r,u){u>0&&(r instanceof Map?r.forEach((h,p)=>{g.strokeStyle=
Pn=p,g.stroke(h)}):r!=null&&o&&g.stroke(r))}function On(o,r){r instanceof Map?r.forEach((u,h)=>{g.fillStyle=Vl=h,g.fill(u)}):r!=null&&o&&g.fill(r)}function ba(o,r,u,h){
let p=A[o],b;if(h<=0)b=[0,0];else{let v=p._space=p.space(l,o,r,u,h),k=p._incrs=p.incrs(l,o,r,u,h,v);b=Bu(r,u,k,h,v)}return p._found=b}function xs(o,r,u,h,p,b,v,k,E,N){
let D=v%2/2;L==1&&g.translate(D,D),Mo(k,v,E,N,k),g.beginPath();let R,K,ce,re,ne=p+(h==0||h==3?-b:b);u==0?(K=p,re=ne):(R=p,ce=ne);for(let q=0;q<o.length;q++)r[q]!=
null&&(u==0?R=ce=o[q]:K=re=o[q],g.moveTo(R,K),g.lineTo(ce,re));g.stroke(),L==1&&g.translate(-D,-D)}function ya(o){let r=!0;return A.forEach((u,h)=>{if(!u.show)return;
let p=S[u.scale];if(p.min==null){u._show&&(r=!1,u._show=!1,Hl(!1));return}else u._show||(r=!1,u._show=!0,Hl(!1));let b=u.side,v=b%2,{min:k,max:E}=p,[N,D]=ba(h,k,
E,v==0?X:P);if(D==0)return;let R=p.distr==2,K=u._splits=u.splits(l,h,k,E,N,D,R),ce=p.distr==2?K.map(I=>Dt[I]):K,re=p.distr==2?Dt[K[1]]-Dt[K[0]]:N,ne=u._values=u.
values(l,u.filter(l,ce,h,D,re),h,D,re);u._rotate=b==2?u.rotate(l,ne,h,D):0;let q=u._size;u._size=Ct(u.size(l,ne,h,o)),q!=null&&u._size!=q&&(r=!1)}),r}function xa(o){
let r=!0;return So.forEach((u,h)=>{let p=u(l,h,yl,o);p!=ll[h]&&(r=!1),ll[h]=p}),r}function _a(){for(let o=0;o<A.length;o++){let r=A[o];if(!r.show||!r._show)continue;
let u=r.side,h=u%2,p,b,v=r.stroke(l,o),k=u==0||u==3?-1:1,[E,N]=r._found;if(r.label!=null){let lt=r.labelGap*k,gt=Ie((r._lpos+lt)*ue);Eo(r.labelFont[0],v,"center",
u==2?"top":di),g.save(),h==1?(p=b=0,g.translate(gt,Ie(vt+Nt/2)),g.rotate((u==3?-Gn:Gn)/2)):(p=Ie(dt+at/2),b=gt);let vl=lr(r.label)?r.label(l,o,E,N):r.label;g.fillText(
vl,p,b),g.restore()}if(N==0)continue;let D=S[r.scale],R=h==0?at:Nt,K=h==0?dt:vt,ce=r._splits,re=D.distr==2?ce.map(lt=>Dt[lt]):ce,ne=D.distr==2?Dt[ce[1]]-Dt[ce[0]]:
E,q=r.ticks,I=r.border,Se=q.show?q.size:0,Ce=Ie(Se*ue),Ge=Ie((r.alignTo==2?r._size-Se-r.gap:r.gap)*ue),pe=r._rotate*-Gn/180,$e=y(r._pos*ue),mt=(Ce+Ge)*k,tt=$e+mt;
b=h==0?tt:0,p=h==1?tt:0;let Mt=r.font[0],Pt=r.align==1?Ql:r.align==2?Ds:pe>0?Ql:pe<0?Ds:h==0?"center":u==3?Ds:Ql,qt=pe||h==1?"middle":u==2?"top":di;Eo(Mt,v,Pt,qt);
let pt=r.font[1]*r.lineGap,Et=ce.map(lt=>y(i(lt,D,R,K))),Rt=r._values;for(let lt=0;lt<Rt.length;lt++){let gt=Rt[lt];if(gt!=null){h==0?p=Et[lt]:b=Et[lt],gt=""+gt;
let vl=gt.indexOf(`
`)==-1?[gt]:gt.split(/\n/gm);for(let nt=0;nt<vl.length;nt++){let jo=vl[nt];pe?(g.save(),g.translate(p,b+nt*pt),g.rotate(pe),g.fillText(jo,0,0),g.restore()):g.fillText(
jo,p,b+nt*pt)}}}q.show&&xs(Et,q.filter(l,re,o,N,ne),h,u,$e,Ce,be(q.width*ue,3),q.stroke(l,o),q.dash,q.cap);let Yt=r.grid;Yt.show&&xs(Et,Yt.filter(l,re,o,N,ne),h,
h==0?2:1,h==0?vt:dt,h==0?Nt:at,be(Yt.width*ue,3),Yt.stroke(l,o),Yt.dash,Yt.cap),I.show&&xs([$e],[1],h==0?1:0,h==0?1:2,h==1?vt:dt,h==1?Nt:at,be(I.width*ue,3),I.stroke(
l,o),I.dash,I.cap)}Ye("drawAxes")}function Hl(o){_.forEach((r,u)=>{u>0&&(r._paths=null,o&&(s==1?(r.min=null,r.max=null):r.facets.forEach(h=>{h.min=null,h.max=null})))})}
let Fn=!1,_s=!1,dn=[];function va(){_s=!1;for(let o=0;o<dn.length;o++)Ye(...dn[o]);dn.length=0}function ql(){Fn||(Pc(Lo),Fn=!0)}function Sa(o,r=!1){Fn=!0,_s=r,o(
l),Lo(),r&&dn.length>0&&queueMicrotask(va)}l.batch=Sa;function Lo(){if(as&&(ma(),as=!1),Fl&&(ra(),Fl=!1),Ln){if(ke(T,Ql,ye),ke(T,"top",Fe),ke(T,Sn,X),ke(T,kn,P),
ke(M,Ql,ye),ke(M,"top",Fe),ke(M,Sn,X),ke(M,kn,P),ke(w,Sn,jt),ke(w,kn,ml),d.width=Ie(jt*ue),d.height=Ie(ml*ue),A.forEach(({_el:o,_show:r,_size:u,_pos:h,side:p})=>{
if(o!=null)if(r){let b=p===3||p===0?u:0,v=p%2==1;ke(o,v?"left":"top",h-b),ke(o,v?"width":"height",u),ke(o,v?"top":"left",v?Fe:ye),ke(o,v?"height":"width",v?P:X),
Vs(o,Tl)}else wt(o,Tl)}),Pn=Vl=fs=ds=ms=ps=gs=ws=hs=null,ct=1,gn(!0),ye!=Ol||Fe!=pl||X!=Wt||P!=gl){Hl(!1);let o=X/Wt,r=P/gl;if(Xe&&!wl&&z.left>=0){z.left*=o,z.top*=
r,Yl&&Ut(Yl,Ie(z.left),0,X,P),Gl&&Ut(Gl,0,Ie(z.top),X,P);for(let u=0;u<kt.length;u++){let h=kt[u];h!=null&&(Wl[u]*=o,Bl[u]*=r,Ut(h,Ct(Wl[u]),Ct(Bl[u]),X,P))}}if(ve.
show&&!Nn&&ve.left>=0&&ve.width>0){ve.left*=o,ve.width*=o,ve.top*=r,ve.height*=r;for(let u in Ts)ke(jl,u,ve[u])}Ol=ye,pl=Fe,Wt=X,gl=P}Ye("setSize"),Ln=!1}jt>0&&
ml>0&&(g.clearRect(0,0,d.width,d.height),Ye("drawClear"),Y.forEach(o=>o()),Ye("draw")),ve.show&&Nn&&(zn(ve),Nn=!1),Xe&&wl&&(_l(null,!0,!1),wl=!1),le.show&&le.live&&
St&&(Ms(),St=!1),f||(f=!0,l.status=1,Ye("ready")),hn=!1,Fn=!1}l.redraw=(o,r)=>{Fl=r||!1,o!==!1?sl($,C.min,C.max):ql()};function vs(o,r){let u=S[o];if(u.from==null){
if(Ke==0){let h=u.range(l,r.min,r.max,o);r.min=h[0],r.max=h[1]}if(r.min>r.max){let h=r.min;r.min=r.max,r.max=h}if(Ke>1&&r.min!=null&&r.max!=null&&r.max-r.min<1e-16)
return;o==$&&u.distr==2&&Ke>0&&(r.min=Ft(r.min,t[0]),r.max=Ft(r.max,t[0]),r.min==r.max&&r.max++),H[o]=r,as=!0,ql()}}l.setScale=vs;let Ss,ks,Yl,Gl,No,Do,Ul,Kl,Po,
Ro,_e,Te,nl=!1,je=z.drag,He=je.x,qe=je.y;Xe&&(z.x&&(Ss=At(sc,M)),z.y&&(ks=At(oc,M)),C.ori==0?(Yl=Ss,Gl=ks):(Yl=ks,Gl=Ss),_e=z.left,Te=z.top);let ve=l.select=Re(
{show:!0,over:!0,left:0,width:0,top:0,height:0},e.select),jl=ve.show?At(nc,ve.over?M:T):null;function zn(o,r){if(ve.show){for(let u in o)ve[u]=o[u],u in Ts&&ke(
jl,u,o[u]);r!==!1&&Ye("setSelect")}}l.setSelect=zn;function ka(o){if(_[o].show)Oe&&Vs(Ae[o],Tl);else if(Oe&&wt(Ae[o],Tl),Xe){let u=Il?kt[0]:kt[o];u!=null&&Ut(u,
-10,-10,X,P)}}function sl(o,r,u){vs(o,{min:r,max:u})}function Vt(o,r,u,h){r.focus!=null&&Ca(o),r.show!=null&&_.forEach((p,b)=>{b>0&&(o==b||o==null)&&(p.show=r.show,
ka(b),s==2?(sl(p.facets[0].scale,null,null),sl(p.facets[1].scale,null,null)):sl(p.scale,null,null),ql())}),u!==!1&&Ye("setSeries",o,r),h&&wn("setSeries",l,o,r)}
l.setSeries=Vt;function Ma(o,r){Re(j[o],r)}function Ea(o,r){o.fill=se(o.fill||null),o.dir=ae(o.dir,-1),r=r??j.length,j.splice(r,0,o)}function Ta(o){o==null?j.length=
0:j.splice(o,1)}l.addBand=Ea,l.setBand=Ma,l.delBand=Ta;function Aa(o,r){_[o].alpha=r,Xe&&kt[o]!=null&&(kt[o].style.opacity=r),Oe&&Ae[o]&&(Ae[o].style.opacity=r)}
let Jt,ol,xl,Jl={focus:!0};function Ca(o){if(o!=xl){let r=o==null,u=Bt.alpha!=1;_.forEach((h,p)=>{if(s==1||p>0){let b=r||p==0||p==o;h._focus=r?null:b,u&&Aa(p,b?
1:Bt.alpha)}}),xl=o,u&&ql()}}Oe&&zl&&et(wi,fe,o=>{z._lock||(bl(o),xl!=null&&Vt(null,Jl,!0,Pe.setSeries))});function Ht(o,r,u){let h=S[r];u&&(o=o/ue-(h.ori==1?Fe:
ye));let p=X;h.ori==1&&(p=P,o=p-o),h.dir==-1&&(o=p-o);let b=h._min,v=h._max,k=o/p,E=b+(v-b)*k,N=h.distr;return N==3?tn(10,E):N==4?vc(E,h.asinh):N==100?h.bwd(E):
E}function $a(o,r){let u=Ht(o,$,r);return Ft(u,t[0],Be,Ve)}l.valToIdx=o=>Ft(o,t[0]),l.posToIdx=$a,l.posToVal=Ht,l.valToPos=(o,r,u)=>S[r].ori==0?a(o,S[r],u?at:X,
u?dt:0):c(o,S[r],u?Nt:P,u?vt:0),l.setCursor=(o,r,u)=>{_e=o.left,Te=o.top,_l(null,r,u)};function Oo(o,r){ke(jl,Ql,ve.left=o),ke(jl,Sn,ve.width=r)}function Fo(o,r){
ke(jl,"top",ve.top=o),ke(jl,kn,ve.height=r)}let mn=C.ori==0?Oo:Fo,pn=C.ori==1?Oo:Fo;function La(){if(Oe&&le.live)for(let o=s==2?1:0;o<_.length;o++){if(o==0&&_t)
continue;let r=le.values[o],u=0;for(let h in r)It[o][u++].firstChild.nodeValue=r[h]}}function Ms(o,r){if(o!=null&&(o.idxs?o.idxs.forEach((u,h)=>{me[h]=u}):Ec(o.
idx)||me.fill(o.idx),le.idx=me[0]),Oe&&le.live){for(let u=0;u<_.length;u++)(u>0||s==1&&!_t)&&Na(u,me[u]);La()}St=!1,r!==!1&&Ye("setLegend")}l.setLegend=Ms;function Na(o,r){
let u=_[o],h=o==0&&ee==2?Dt:t[o],p;_t?p=u.values(l,o,r)??tl:(p=u.value(l,r==null?null:h[r],o,r),p=p==null?tl:{_:p}),le.values[o]=p}function _l(o,r,u){Po=_e,Ro=Te,
[_e,Te]=z.move(l,_e,Te),z.left=_e,z.top=Te,Xe&&(Yl&&Ut(Yl,Ie(_e),0,X,P),Gl&&Ut(Gl,0,Ie(Te),X,P));let h,p=Be>Ve;Jt=we,ol=null;let b=C.ori==0?X:P,v=C.ori==1?X:P;if(_e<
0||Ke==0||p){h=z.idx=null;for(let k=0;k<_.length;k++){let E=kt[k];E!=null&&Ut(E,-10,-10,X,P)}zl&&Vt(null,Jl,!0,o==null&&Pe.setSeries),le.live&&(me.fill(h),St=!0)}else{
let k,E,N;s==1&&(k=C.ori==0?_e:Te,E=Ht(k,$),h=z.idx=Ft(E,t[0],Be,Ve),N=F(t[0][h],C,b,0));let D=-10,R=-10,K=0,ce=0,re=!0,ne="",q="";for(let I=s==2?1:0;I<_.length;I++){
let Se=_[I],Ce=me[I],Ge=Ce==null?null:s==1?t[I][Ce]:t[I][1][Ce],pe=z.dataIdx(l,I,h,E),$e=pe==null?null:s==1?t[I][pe]:t[I][1][pe];if(St=St||$e!=Ge||pe!=Ce,me[I]=
pe,I>0&&Se.show){let mt=pe==null?-10:pe==h?N:F(s==1?t[0][pe]:t[I][0][pe],C,b,0),tt=$e==null?-10:U($e,s==1?S[Se.scale]:S[Se.facets[1].scale],v,0);if(zl&&$e!=null){
let Mt=C.ori==1?_e:Te,Pt=We(Bt.dist(l,I,pe,tt,Mt));if(Pt<Jt){let qt=Bt.bias;if(qt!=0){let pt=Ht(Mt,Se.scale),Et=$e>=0?1:-1,Rt=pt>=0?1:-1;Rt==Et&&(Rt==1?qt==1?$e>=
pt:$e<=pt:qt==1?$e<=pt:$e>=pt)&&(Jt=Pt,ol=I)}else Jt=Pt,ol=I}}if(St||Il){let Mt,Pt;C.ori==0?(Mt=mt,Pt=tt):(Mt=tt,Pt=mt);let qt,pt,Et,Rt,Yt,lt,gt=!0,vl=Qe.bbox;if(vl!=
null){gt=!1;let nt=vl(l,I);Et=nt.left,Rt=nt.top,qt=nt.width,pt=nt.height}else Et=Mt,Rt=Pt,qt=pt=Qe.size(l,I);if(lt=Qe.fill(l,I),Yt=Qe.stroke(l,I),Il)I==ol&&Jt<=
Bt.prox&&(D=Et,R=Rt,K=qt,ce=pt,re=gt,ne=lt,q=Yt);else{let nt=kt[I];nt!=null&&(Wl[I]=Et,Bl[I]=Rt,ki(nt,qt,pt,gt),vi(nt,lt,Yt),Ut(nt,Ct(Et),Ct(Rt),X,P))}}}}if(Il){
let I=Bt.prox,Se=xl==null?Jt<=I:Jt>I||ol!=xl;if(St||Se){let Ce=kt[0];Ce!=null&&(Wl[0]=D,Bl[0]=R,ki(Ce,K,ce,re),vi(Ce,ne,q),Ut(Ce,Ct(D),Ct(R),X,P))}}}if(ve.show&&
nl)if(o!=null){let[k,E]=Pe.scales,[N,D]=Pe.match,[R,K]=o.cursor.sync.scales,ce=o.cursor.drag;if(He=ce._x,qe=ce._y,He||qe){let{left:re,top:ne,width:q,height:I}=o.
select,Se=o.scales[R].ori,Ce=o.posToVal,Ge,pe,$e,mt,tt,Mt=k!=null&&N(k,R),Pt=E!=null&&D(E,K);Mt&&He?(Se==0?(Ge=re,pe=q):(Ge=ne,pe=I),$e=S[k],mt=F(Ce(Ge,R),$e,b,
0),tt=F(Ce(Ge+pe,R),$e,b,0),mn(zt(mt,tt),We(tt-mt))):mn(0,b),Pt&&qe?(Se==1?(Ge=re,pe=q):(Ge=ne,pe=I),$e=S[E],mt=U(Ce(Ge,K),$e,v,0),tt=U(Ce(Ge+pe,K),$e,v,0),pn(zt(
mt,tt),We(tt-mt))):pn(0,v)}else As()}else{let k=We(Po-No),E=We(Ro-Do);if(C.ori==1){let K=k;k=E,E=K}He=je.x&&k>=je.dist,qe=je.y&&E>=je.dist;let N=je.uni;N!=null?
He&&qe&&(He=k>=N,qe=E>=N,!He&&!qe&&(E>k?qe=!0:He=!0)):je.x&&je.y&&(He||qe)&&(He=qe=!0);let D,R;He&&(C.ori==0?(D=Ul,R=_e):(D=Kl,R=Te),mn(zt(D,R),We(R-D)),qe||pn(
0,v)),qe&&(C.ori==1?(D=Ul,R=_e):(D=Kl,R=Te),pn(zt(D,R),We(R-D)),He||mn(0,b)),!He&&!qe&&(mn(0,0),pn(0,0))}if(je._x=He,je._y=qe,o==null){if(u){if(Ko!=null){let[k,
E]=Pe.scales;Pe.values[0]=k!=null?Ht(C.ori==0?_e:Te,k):null,Pe.values[1]=E!=null?Ht(C.ori==1?_e:Te,E):null}wn(Ps,l,_e,Te,X,P,h)}if(zl){let k=u&&Pe.setSeries,E=Bt.
prox;xl==null?Jt<=E&&Vt(ol,Jl,!0,k):Jt>E?Vt(null,Jl,!0,k):ol!=xl&&Vt(ol,Jl,!0,k)}}St&&(le.idx=h,Ms()),r!==!1&&Ye("setCursor")}let il=null;Object.defineProperty(
l,"rect",{get(){return il==null&&gn(!1),il}});function gn(o=!1){o?il=null:(il=M.getBoundingClientRect(),Ye("syncRect",il))}function zo(o,r,u,h,p,b,v){z._lock||nl&&
o!=null&&o.movementX==0&&o.movementY==0||(Es(o,r,u,h,p,b,v,!1,o!=null),o!=null?_l(null,!0,!0):_l(r,!0,!1))}function Es(o,r,u,h,p,b,v,k,E){if(il==null&&gn(!1),bl(
o),o!=null)u=o.clientX-il.left,h=o.clientY-il.top;else{if(u<0||h<0){_e=-10,Te=-10;return}let[N,D]=Pe.scales,R=r.cursor.sync,[K,ce]=R.values,[re,ne]=R.scales,[q,
I]=Pe.match,Se=r.axes[0].side%2==1,Ce=C.ori==0?X:P,Ge=C.ori==1?X:P,pe=Se?b:p,$e=Se?p:b,mt=Se?h:u,tt=Se?u:h;if(re!=null?u=q(N,re)?i(K,S[N],Ce,0):-10:u=Ce*(mt/pe),
ne!=null?h=I(D,ne)?i(ce,S[D],Ge,0):-10:h=Ge*(tt/$e),C.ori==1){let Mt=u;u=h,h=Mt}}E&&(r==null||r.cursor.event.type==Ps)&&((u<=1||u>=X-1)&&(u=Ml(u,X)),(h<=1||h>=P-
1)&&(h=Ml(h,P))),k?(No=u,Do=h,[Ul,Kl]=z.move(l,u,h)):(_e=u,Te=h)}let Ts={width:0,height:0,left:0,top:0};function As(){zn(Ts,!1)}let Io,Wo,Bo,Vo;function Ho(o,r,u,h,p,b,v){
nl=!0,He=qe=je._x=je._y=!1,Es(o,r,u,h,p,b,v,!0,!1),o!=null&&(et(Rs,Ws,qo,!1),wn(pi,l,Ul,Kl,X,P,null));let{left:k,top:E,width:N,height:D}=ve;Io=k,Wo=E,Bo=N,Vo=D}
function qo(o,r,u,h,p,b,v){nl=je._x=je._y=!1,Es(o,r,u,h,p,b,v,!1,!0);let{left:k,top:E,width:N,height:D}=ve,R=N>0||D>0,K=Io!=k||Wo!=E||Bo!=N||Vo!=D;if(R&&K&&zn(ve),
je.setScale&&R&&K){let ce=k,re=N,ne=E,q=D;if(C.ori==1&&(ce=E,re=D,ne=k,q=N),He&&sl($,Ht(ce,$),Ht(ce+re,$)),qe)for(let I in S){let Se=S[I];I!=$&&Se.from==null&&Se.
min!=we&&sl(I,Ht(ne+q,I),Ht(ne,I))}As()}else z.lock&&(z._lock=!z._lock,_l(r,!0,o!=null));o!=null&&(Rl(Rs,Ws),wn(Rs,l,_e,Te,X,P,null))}function Da(o,r,u,h,p,b,v){
if(z._lock)return;bl(o);let k=nl;if(nl){let E=!0,N=!0,D=10,R,K;C.ori==0?(R=He,K=qe):(R=qe,K=He),R&&K&&(E=_e<=D||_e>=X-D,N=Te<=D||Te>=P-D),R&&E&&(_e=_e<Ul?0:X),K&&
N&&(Te=Te<Kl?0:P),_l(null,!0,!0),nl=!1}_e=-10,Te=-10,me.fill(null),_l(null,!0,!0),k&&(nl=k)}function Yo(o,r,u,h,p,b,v){z._lock||(bl(o),us(),As(),o!=null&&wn(bi,
l,_e,Te,X,P,null))}function Go(){A.forEach(Vu),cs(l.width,l.height,!0)}Al(Un,en,Go);let Zl={};Zl.mousedown=Ho,Zl.mousemove=zo,Zl.mouseup=qo,Zl.dblclick=Yo,Zl.setSeries=
(o,r,u,h)=>{let p=Pe.match[2];u=p(l,r,u),u!=-1&&Vt(u,h,!0,!1)},Xe&&(et(pi,M,Ho),et(Ps,M,zo),et(gi,M,o=>{bl(o),gn(!1)}),et(wi,M,Da),et(bi,M,Yo),Ks.add(l),l.syncRect=
gn);let In=l.hooks=e.hooks||{};function Ye(o,r,u){_s?dn.push([o,r,u]):o in In&&In[o].forEach(h=>{h.call(null,l,r,u)})}(e.plugins||[]).forEach(o=>{for(let r in o.
hooks)In[r]=(In[r]||[]).concat(o.hooks[r])});let Uo=(o,r,u)=>u,Pe=Re({key:null,setSeries:!1,filters:{pub:Ci,sub:Ci},scales:[$,_[1]?_[1].scale:null],match:[$i,$i,
Uo],values:[null,null]},z.sync);Pe.match.length==2&&Pe.match.push(Uo),z.sync=Pe;let Ko=Pe.key,Cs=Er(Ko);function wn(o,r,u,h,p,b,v){Pe.filters.pub(o,r,u,h,p,b,v)&&
Cs.pub(o,r,u,h,p,b,v)}Cs.sub(l);function Pa(o,r,u,h,p,b,v){Pe.filters.sub(o,r,u,h,p,b,v)&&Zl[o](null,r,u,h,p,b,v)}l.pub=Pa;function Ra(){Cs.unsub(l),Ks.delete(l),
dl.clear(),Hs(Un,en,Go),m.remove(),fe?.remove(),Ye("destroy")}l.destroy=Ra;function $s(){Ye("init",e,t),ko(t||e.data,!1),H[$]?vs($,H[$]):us(),Nn=ve.show&&(ve.width>
0||ve.height>0),wl=St=!0,cs(e.width,e.height)}return _.forEach(vo),A.forEach(da),n?n instanceof HTMLElement?(n.appendChild(m),$s()):n(l,$s):$s(),l}Ze.assign=Re;
Ze.fmtNum=to;Ze.rangeNum=Kn;Ze.rangeLog=Zn;Ze.rangeAsinh=Xs;Ze.orient=$l;Ze.pxRatio=ue;Ze.join=Dc;Ze.fmtDate=no,Ze.tzDate=qc;Ze.sync=Er;{Ze.addGap=Eu,Ze.clipGaps=
es;let e=Ze.paths={points:Nr};e.linear=Pr,e.stepped=Cu,e.bars=$u,e.spline=Nu}var Ne=22,xt=24,fl=null;function uo(){fl=null}function xe(e){return fl||(fl=new Map,fl.style=getComputedStyle(document.documentElement)),fl.has(e)||fl.set(e,fl.
style.getPropertyValue(`--${e}`).trim()||"#888"),fl.get(e)}function Hu(e,t){let n=e/Math.max(2,t/110),l=10**Math.floor(Math.log10(n));for(let s of[1,2,5,10])if(s*
l>=n)return s*l;return 10*l}function qu(e,t){let[n,l]=[["s",1e9],["ms",1e6],["\xB5s",1e3],["ns",1]].find(([,s])=>Math.abs(e)>=s)??["ns",1];return e===0||e>=12e10?
V(e):`${(e/l).toFixed(Math.max(0,Math.ceil(Math.log10(l/t)-1e-9)))} ${n}`}function zr(e,{from:t,to:n,left:l,width:s,height:a}){let c=Hu(n-t,s);e.fillStyle=xe("q\
uiet"),e.strokeStyle=xe("line"),e.font="11px system-ui, sans-serif",e.textBaseline="middle",e.beginPath();for(let i=Math.ceil(t/c)*c;i<=n;i+=c){let f=Math.round(
l+(i-t)/(n-t)*s)+.5;e.moveTo(f,xt-5),e.lineTo(f,a),f<l+s-40&&e.fillText(qu(Math.round(i),c),f+3,xt/2)}e.stroke()}function Yu(e,t,{from:n,to:l,left:s,width:a},c){
let i=a/(l-n);for(let f=0;f<t.bins.length;f+=4){let m=t.from+t.bins[f]*t.binNs;if(m>l)break;if(m+t.binNs<n)continue;let d=Math.round(s+Math.max(0,m-n)*i),g=Math.
max(1,Math.round(s+Math.min(l-n,m+t.binNs-n)*i)-d),w=Math.max(3,t.bins[f+2]/1e3*(Ne-6));e.fillStyle=xe(t.ops[t.bins[f+3]].kind),e.fillRect(d,c+Ne-3-w,g,w)}}function Gu(e,t,{
from:n,to:l,left:s,width:a,chosen:c},i){let f=a/(l-n),m=[-1,-1];e.font="11px system-ui, sans-serif",e.textBaseline="middle";for(let d of t.slices){if(d.start>l)
break;let g=d.duration===null?l:d.start+d.duration;if(g<n)continue;let w=s+Math.max(0,(d.start-n)*f),T=s+Math.min(a,(g-n)*f),M=d.depth>0?1:0,L=c===d.seq;if(T-w<
1&&w<m[M]&&!L)continue;let y=Math.max(1,T-w);m[M]=w+y;let O=M?i+3+Math.min(3,d.depth)*4:i+3,_=M?Math.max(3,Ne-6-Math.min(3,d.depth)*4):Ne-6;if(e.globalAlpha=d.duration===
null?.5:1,e.fillStyle=xe(d.op.kind),e.fillRect(w,O,y,_),e.globalAlpha=1,M&&(e.fillStyle=xe("card"),e.fillRect(w,O-1,y,1)),d.failed&&(e.fillStyle=xe("critical"),
e.fillRect(w,i+1,Math.max(2,y),2)),L&&(e.strokeStyle=xe("ink"),e.lineWidth=2,e.strokeRect(w,i+2,y,Ne-4),e.lineWidth=1),y>34&&!M){e.fillStyle=xe("card");let A=Math.
floor((y-6)/6),S=d.op.op;e.fillText(S.length<=A?S:`${S.slice(0,Math.max(1,A-1))}\u2026`,w+3,i+Ne/2)}}}function Ir(e,t,n,l){for(let{line:s,y:a}of t){if(s.lane&&s.
lane.lane===l.lane&&(e.fillStyle=xe("chosen"),e.fillRect(0,a,l.left+l.width,Ne)),s.chains){let i=l.width/(l.to-l.from);for(let f of s.chains){let m=Math.max(l.left,
l.left+(f.from-l.from)*i),d=Math.min(l.left+l.width,l.left+(f.to-l.from)*i);d<l.left||m>l.left+l.width||(e.fillStyle=xe("chain"),e.globalAlpha=f.id===l.chain?.9:
.5,e.fillRect(m,a+4,Math.max(3,d-m),Ne-8),e.globalAlpha=1)}continue}let c=s.lane?n.get(s.lane.lane):null;c&&(Yu(e,c,l,a),Gu(e,c,l,a))}}var Wr=["launch","memcpy","collective","alloc","sync","fabric","graph","p2p","memset","event","module","stream"],ss=e=>xe(Wr[e%Wr.length]),Br=(e,t,n)=>({space:n,
stroke:()=>xe("quiet"),grid:{stroke:()=>xe("line"),width:1},ticks:{stroke:()=>xe("line")},values:e,size:t});function Uu(e,t,n,l){let s=null,a=new ResizeObserver(
()=>{let c=e.clientWidth;c&&(s||(s=new Ze({...t,width:c,height:l},n,e),s.root.querySelector("canvas").setAttribute("aria-hidden","true")),s.width!==c&&s.setSize(
{width:c,height:l}),e.plot=s)});return a.observe(e),e.close=()=>{a.disconnect(),s?.destroy()},e}function cn({label:e,times:t,series:n,text:l,timeText:s,height:a=220,
stacked:c=!1,choose:i=null}){let f=x("div",{class:"chart",role:"img","aria-label":`${e}: ${n.map(g=>g.name).join(", ")}`}),m=n.map(g=>g.values);if(c){let g=new Array(
t.length).fill(0);m=m.map(w=>w.map((T,M)=>g[M]+=T??0))}let d=n.map((g,w)=>({label:g.name,stroke:()=>ss(w),width:1.5,points:{show:t.length<3},spanGaps:!0,fill:c?
()=>ss(w):void 0,value:(T,M,L,y)=>y===null?"\u2013":l(n[w].values[y])}));return c&&(d.reverse(),m.reverse()),Uu(f,{cursor:{drag:{x:!0,y:!1,setScale:!i}},scales:{
x:{time:!1},y:{range:(g,w,T)=>[Math.min(0,w??0),(T||1)*1.05]}},axes:[Br((g,w)=>w.map(T=>s(T)),30,90),Br((g,w)=>w.map(T=>l(T)),74,35)],series:[{label:"Time",value:(g,w)=>w===
null?"\u2013":s(w)},...d],legend:{live:!0},hooks:i?{setSelect:[g=>{g.select.width>3&&i(g.posToVal(g.select.left,"x"),g.posToVal(g.select.left+g.select.width,"x"))}]}:
{}},[t,...m],a)}var Vr=8,Hr=e=>`${e.frames?.find(t=>t.startsWith("[Python]"))??e.frames?.[1]??e.frames?.[0]??e.op} (${e.pid})`;async function Ku(e,t){let n=await ge("get_memory",
{...Je(),limit:100,bins:300},t.signal),{totals:l,sites:s,over_time:a}=n;if(!s.length)return e.append(te("Memory",Le("No call of this part obtained memory."),De(
n))),()=>{};e.append(te("Memory",Tt([["Held at the end",ze(l.held_bytes)],["Held at most",ze(l.peak_bytes)],["Allocations held",G(l.held_allocations)],["Freed, \
but obtained before",G(l.frees_of_unseen)],["Of unknown address",l.address_unknown?G(l.address_unknown):null]]),De(n)));let c=null;if(a){let i=Number(Ue(a.from)-
t.origin),f=a.total_bytes.map((w,T)=>i+T*a.bin_ns),m=a.site_bytes.slice(0,Vr),d=m.map((w,T)=>({name:Hr(s[T]),values:w})),g=a.total_bytes.map((w,T)=>Math.max(0,w-
m.reduce((M,L)=>M+L[T],0)));g.some(w=>w>0)&&d.push({name:"others",values:g}),c=cn({label:"Bytes held by call site",times:f,series:d,stacked:!0,text:ze,timeText:V,
height:280}),e.append(te("Held over time, by call site",c,x("p",{class:"quiet"},"The most held in each part; what the program held before the recording is not s\
een.")))}e.append(te("Call sites",he({caption:"Call sites",rows:s.map((i,f)=>({...i,i:f})),columns:[{head:"Where",node:i=>x("span",{},x("i",{class:"dot","data-i\
nk":i.i<Vr?i.i:""}),Hr(i))},{head:"Call",text:i=>i.op,sort:i=>i.op},{head:"Held",number:!0,text:i=>ze(i.held_bytes),sort:i=>i.held_bytes},{head:"At most",number:!0,
text:i=>ze(i.peak_bytes),sort:i=>i.peak_bytes},{head:"Obtained",number:!0,text:i=>ze(i.bytes),sort:i=>i.bytes},{head:"Given back",number:!0,text:i=>ze(i.freed_bytes),
sort:i=>i.freed_bytes},{head:"Calls",number:!0,text:i=>G(i.calls),sort:i=>i.calls},{head:"Failed",number:!0,text:i=>i.failed?G(i.failed):"",sort:i=>i.failed}]})));
for(let i of e.querySelectorAll("[data-ink]"))i.dataset.ink!==""&&(i.style.background=ss(Number(i.dataset.ink)));return()=>c?.close()}var qr={name:"memory",title:"\
Memory",draw:Ku};var Yr=4;function ju(e,t,n){let[l,s]=[120,18],a=x("canvas",{width:l*2,height:s*2,class:"spark",role:"img","aria-label":e?`most often about ${V(e.from_ns[e.counts.
indexOf(Math.max(...e.counts))])}`:"not known"});if(!e)return a;let c=a.getContext("2d");c.scale(2,2),c.fillStyle=xe(e.kind);let i=Math.max(...e.counts),f=m=>(Math.
log2(Math.max(m,1))-t)/(n-t)*(l-3);return e.from_ns.forEach((m,d)=>{let g=Math.max(1.5,Math.log1p(e.counts[d])/Math.log1p(i)*s);c.fillRect(f(m),s-g,Math.max(2,l/
((n-t)*Yr)-.5),g)}),a}function Ju(e,t,n){let l=_=>{let A=2**Math.floor(Math.log2(Math.max(_,1)));return _+Math.max(1,A/16)},[s,a]=[Math.log2(Math.max(e.from_ns[0],
1)),Math.log2(l(e.from_ns.at(-1)))],c=Math.max(...e.counts),i=160,f=x("canvas",{class:"distribution",role:"img","aria-label":`Distribution of ${e.op}`}),m=0,d=null,
g=null,w=_=>(Math.log2(Math.max(_,1))-s)/Math.max(a-s,.01)*m,T=_=>2**(s+_/m*(a-s));function M(){let _=devicePixelRatio||1;m=f.clientWidth,f.width=m*_,f.height=i*
_;let A=f.getContext("2d");A.scale(_,_);let S=g??(t?[w(t[0]),w(t[1])]:null);S&&(A.fillStyle=xe("chosen"),A.fillRect(Math.min(...S),0,Math.abs(S[1]-S[0]),i-18)),
A.fillStyle=xe(e.kind),e.from_ns.forEach(($,J)=>{let Y=Math.max(2,Math.log1p(e.counts[J])/Math.log1p(c)*(i-24));A.fillRect(w($),i-18-Y,Math.max(1,w(l($))-w($)-.5),
Y)}),A.fillStyle=xe("quiet"),A.font="11px system-ui, sans-serif";let j=a-s>5?[1]:a-s>2?[1,2,5]:[1,1.5,2,3,4,5,6,7,8,9];for(let $=0,J=-60;$<12;$++)for(let Y of j){
let Q=w(Y*10**$);Q<Math.max(0,J+60)||Q>m-40||(A.fillText(V(Y*10**$),Q,i-4),J=Q)}}f.addEventListener("pointerdown",_=>{d=_.offsetX,f.setPointerCapture(_.pointerId)}),
f.addEventListener("pointermove",_=>{d!==null&&(g=[d,_.offsetX],M())}),f.addEventListener("pointerup",_=>{let[A,S]=[d,_.offsetX].sort((j,$)=>j-$);d=g=null,n(S-A>
3?[Math.floor(T(Math.max(0,A))),Math.ceil(T(Math.min(m,S)))]:null)});let L=new ResizeObserver(M);L.observe(f);let y=(_,A,S)=>[x("label",{for:_},A),x("input",{id:_,
type:"number",min:"0",step:"any",value:S??""})],O=x("form",{class:"bar"},y("least","From \xB5s",t?t[0]/1e3:null),y("most","to \xB5s",t?t[1]/1e3:null),x("button",
{type:"submit"},"List these calls"),t?x("button",{type:"button",onclick:()=>n(null)},"All"):null);return O.addEventListener("submit",_=>{_.preventDefault();let[
A,S]=[O.querySelector("#least").value,O.querySelector("#most").value];n(A===""&&S===""?null:[Math.floor(Number(A||0)*1e3),Math.ceil(Number(S||1e12)*1e3)])}),{node:x(
"div",{},f,x("p",{class:"quiet"},"Calls by duration, both on logarithmic scales. Drag over a part to list its calls."),O),close:()=>L.disconnect()}}async function Zu(e,t,n){
let l=e.origin,s=Bn("timestamp",c=>String(Ue(c))),a=await Gt(`SELECT seq, timestamp - ${l} AS start_ns, duration, pid, tid, comm, failed, bytes, kernel FROM eve\
nts
    WHERE call = '${t.call.replaceAll("'","''")}' AND ${s} ${n?`AND duration BETWEEN ${n[0]} AND ${n[1]}`:""}
    ORDER BY duration DESC`,50,e.signal);return a.length?he({caption:`Calls of ${t.op}, longest first`,rows:a,most:50,columns:[{head:"Took",number:!0,text:c=>V(
c.duration),sort:c=>c.duration},{head:"At",number:!0,node:c=>x("a",{href:Zt({view:"timeline",from:xn(l+BigInt(c.start_ns-Math.max(1e3,c.duration??0))),to:xn(l+BigInt(
c.start_ns+2*Math.max(1e3,c.duration??0))),chosen:{call:c.seq}})},V(c.start_ns)),sort:c=>c.start_ns},{head:"Thread",text:c=>`${c.comm??""} ${c.pid}/${c.tid}`},{
head:"Bytes",number:!0,text:c=>ze(c.bytes),sort:c=>c.bytes},{head:"Failed",text:c=>c.failed?"yes":""},{head:"Kernel",text:c=>c.kernel??""}]}):Le("No call of thi\
s part took so long.")}async function Qu(e,t){let[n,l]=await Promise.all([ge("get_trace_stats",Je(),t.signal),ge("get_distributions",{...Je(),per_octave:Yr},t.signal)]),
s=new Map(l.calls.map(y=>[y.call,y])),a=Math.min(10,...l.calls.map(y=>Math.log2(Math.max(y.from_ns[0],1)))),c=Math.max(11,...l.calls.map(y=>Math.log2(y.from_ns.
at(-1))+.5)),i=n.calls.reduce((y,O)=>y+(O.total_ns??0),0),f=[{head:"Call",text:y=>y.op,sort:y=>y.op},{head:"Layer",text:y=>y.layer,sort:y=>y.layer},{head:"Distr\
ibution",node:y=>ju(s.get(y.call),a,c)},{head:"Count",number:!0,text:y=>G(y.count),sort:y=>y.count},{head:"Total",number:!0,text:y=>V(y.total_ns),sort:y=>y.total_ns},
{head:"Share",number:!0,text:y=>y.kind==="host"?"":yn(y.total_ns/i),title:"Of all calls' time; a call made inside another is in both"},{head:"p50",number:!0,text:y=>V(
y.p50_ns),sort:y=>y.p50_ns},{head:"p95",number:!0,text:y=>V(y.p95_ns),sort:y=>y.p95_ns},{head:"p99",number:!0,text:y=>V(y.p99_ns),sort:y=>y.p99_ns},{head:"Longe\
st",number:!0,text:y=>V(y.max_ns),sort:y=>y.max_ns},{head:"Errors",number:!0,text:y=>y.errors?G(y.errors):"",sort:y=>y.errors},{head:"Bytes",number:!0,text:y=>y.
bytes===null?"":ze(y.bytes),sort:y=>y.bytes},{head:"Off CPU",number:!0,text:y=>y.off_cpu?yn(Object.values(y.off_cpu).reduce((O,_)=>O+_,0)/y.total_ns):"",title:"\
Part of the time that the calling threads were off the CPU"}],m=W.chosen.op??null,d=y=>ut({op:y.call,least:null,most:null},!1);e.append(te("Calls",n.calls.length?
he({caption:"Calls",rows:n.calls,columns:f,sorted:4,choose:d,key:y=>y.call,chosen:m}):Le("No call was recorded in this part.")),...n.host.length?[te("What the h\
ost did",he({caption:"Host events",rows:n.host,columns:f.filter(({head:y})=>y!=="Off CPU"&&y!=="Share"),choose:d,key:y=>y.call,chosen:m}))]:[]);for(let y of[n,l])
y.cut.length&&e.append(De(y));if(!m)return()=>{};let g=await ge("get_distributions",{...Je(),op:m,per_octave:16},t.signal),w=g.calls.find(y=>y.call===m)??g.calls[0];
if(!w)return e.prepend(te(m,Le("It was not called in this part, or has no durations."))),()=>{};let T=W.chosen.least?[Number(W.chosen.least),Number(W.chosen.most)]:
null,M=Ju(w,T,y=>ut({least:y?.[0]??null,most:y?.[1]??null},!1)),L=[...n.calls,...n.host].find(y=>y.call===w.call);return e.prepend(te(w.op,Tt([["Count",G(w.count)],
["p50",V(L?.p50_ns)],["p99",V(L?.p99_ns)],["Longest",V(L?.max_ns)],["Library's name",w.call]]),M.node,await Zu(t,w,T))),M.close}var Gr={name:"operations",title:"\
Operations",draw:Qu};var Kr=e=>x("span",{class:`severity ${String(e).toLowerCase()}`},e);function Xu(e){return e?.length?x("details",{},x("summary",{},`Where it happened: ${e[0]}`),
x("ol",{class:"frames"},e.map(t=>x("li",{},t)))):null}function Ur(e,t){let n=[e.process&&`${e.process} (${e.pid})`,e.rank!==null&&e.rank!==void 0&&`rank ${e.rank}`,
e.op,e.lost_ns&&`${V(e.lost_ns)} lost`,e.onset&&`from ${kl(e.onset)}`,e.node];return x("article",{class:"chain"},x(t?"h3":"h4",{},Kr(e.severity)," ",e.summary),
x("p",{class:"cause"},e.root_cause),e.explanation?x("p",{},e.explanation):null,x("p",{class:"quiet"},n.filter(Boolean).join(" \xB7 ")),e.recommendations?.length?
x("ul",{class:"remedies","aria-label":"Remedies"},e.recommendations.map(l=>x("li",{},l))):null,Xu(e.stack),e.timeline?.length?x("details",{},x("summary",{},`${e.
timeline.length} steps`),x("ol",{},e.timeline.map(l=>x("li",{},x("b",{},l.layer),` ${l.detail}`)))):null,e.onset&&e.end?x("p",{},x("a",{href:Zt({view:"timeline",
from:e.onset,to:e.end,chosen:{chain:e.id}})},"Show it on the timeline")):null)}async function ef(e,{info:t,signal:n}){let[l,s,a]=await Promise.all([ge("get_caus\
al_chains",{...Je(),top_n:20},n),ge("get_trace_stats",Je(),n),ge("get_calls_in_flight",{...Je(),limit:5},n)]),[c,...i]=l.chains,f=t.live?"No cause has been foun\
d so far.":"Nothing is wrong that the rules know of.";e.append(te("The cause",c?Ur(c,!0):Le(f),i.length?x("details",{},x("summary",{},`${i.length} more`),i.map(
d=>Ur(d,!1))):null,l.earlier_chains?.length?x("details",{},x("summary",{},`${l.earlier_chains.length} chains that the earlier agent stored`),x("ul",{},l.earlier_chains.
map(d=>x("li",{},Kr(d.severity),` ${d.summary}: ${d.verdict}`)))):null,De(l))),a.calls.length&&e.append(te("Calls that have not returned",he({caption:"Calls in \
flight, longest first",rows:a.calls,columns:[{head:"Call",text:d=>d.call},{head:"Thread",text:d=>`${d.process??""} ${d.pid}/${d.tid}`},{head:"For",text:d=>V(d.duration_ns),
number:!0}]})));let m=s.calls.slice(0,8);e.append(te("Where the calls' time went",m.length?he({caption:"Calls by total time",rows:m,columns:[{head:"Call",node:d=>x(
"a",{href:Zt({view:"operations",chosen:{op:d.call}})},d.op)},{head:"Count",text:d=>G(d.count),number:!0},{head:"Total",text:d=>V(d.total_ns),number:!0},{head:"p\
50",text:d=>V(d.p50_ns),number:!0},{head:"p99",text:d=>V(d.p99_ns),number:!0},{head:"Longest",text:d=>V(d.max_ns),number:!0}]}):Le("No call was recorded in this\
 part.")),te("Processes",he({caption:"Processes",rows:s.processes,most:20,columns:[{head:"Process",text:d=>`${d.process??"?"} ${d.pid}`},{head:"Calls",text:d=>G(
d.calls),number:!0},{head:"Errors",text:d=>G(d.errors),number:!0},{head:"Host events",text:d=>G(d.host_events),number:!0},{head:"Longest call",text:d=>V(d.calls?
d.max_ns:null),number:!0}]})),te("The recording",Tt([["File",t.file],["Schema",t.schema],["Events in this part",G(s.events)],["First",s.first],["Last",s.last],[
"Rows pruned",s.rows_pruned?G(s.rows_pruned):null],["Lost",s.lost===null?"not known: the earlier agent kept no account":s.lost.some(d=>d.severity!=="info")?x("a",
{href:Zt({view:"health"})},"something was: see Capture"):"nothing"]]),De(s)))}var jr={name:"overview",title:"Overview",draw:ef};var Ll=e=>e==null?"NULL":`'${String(e).replaceAll("'","''")}'`,mo=()=>Bn("timestamp",e=>String(Ue(e))),fo=e=>e==="bytes"?ze:t=>t==null?"\u2013":Sl(t),tf=["","do\
wn","initialising","armed","active","deferred"];async function Jr(e,t){let n=await Gt(t,1e4,e.signal);return{times:n.map(l=>l.at),values:n.map(l=>l.value)}}async function lf(e,t){
let n=await ge("get_fabric",Je(),t.signal),l=Zr(t);if(!n.known||!n.links.length&&!n.counters.length)e.append(te("Fabric",Le("No adapter was sampled: there was n\
one, or an earlier agent recorded this."),De(n)));else{e.append(te("Links",he({caption:"Links",rows:n.links,columns:[{head:"Adapter",text:i=>`${i.device}, port ${i.
port}`},{head:"Layer",text:i=>i.link_layer??""},{head:"State",text:i=>tf[i.state]??String(i.state??"\u2013")},{head:"Changes",number:!0,text:i=>G(i.changes)}]})));
let s=i=>`${i.device}|${i.port??""}|${i.origin}|${i.name}`,a=n.counters.find(i=>s(i)===W.chosen.counter),c=null;if(a){let i=await Jr(t,`SELECT timestamp - ${t.origin}\
 AS at, value FROM fabric_samples WHERE device = ${Ll(a.device)} AND name = ${Ll(a.name)}
        AND origin = ${Ll(a.origin)} AND port IS ${a.port??"NULL"} AND ${mo()} ORDER BY timestamp`);c=cn({label:a.name,times:i.times,series:[{name:a.name,values:i.
values}],text:fo(a.unit),timeText:V}),e.append(te(`${a.device}: ${a.name}`,c))}return e.append(te("Counters",he({caption:"Counters; choose one to see it over ti\
me",rows:n.counters,sorted:3,key:s,chosen:W.chosen.counter??null,choose:i=>ut({counter:s(i)},!1),columns:[{head:"Counter",text:i=>i.name,sort:i=>i.name},{head:"\
Adapter",text:i=>i.device,sort:i=>i.device},{head:"Port",text:i=>i.port??""},{head:"Grew by",number:!0,text:i=>fo(i.unit)(i.grew_by),sort:i=>i.grew_by},{head:"V\
alue",number:!0,text:i=>fo(i.unit)(i.value),sort:i=>i.value},{head:"Resets",number:!0,text:i=>i.resets?G(i.resets):""}]}),De(n))),c&&e.prepend(c.parentNode),ho(
c,await l,e)}return ho(null,await l,e)}var ho=(e,t,n)=>(t&&n.append(t.card),()=>{e?.close(),t?.chart.close()});async function Zr(e){let t=await Gt(`SELECT times\
tamp - ${e.origin} AS at, cpu_pct, mem_pct FROM system_snapshots WHERE ${mo()} ORDER BY timestamp`,1e4,e.signal);if(t.length<2)return null;let n=cn({label:"The \
host",times:t.map(l=>l.at),text:l=>l==null?"\u2013":`${Math.round(l)} %`,timeText:V,height:160,series:[{name:"CPU",values:t.map(l=>l.cpu_pct)},{name:"Memory",values:t.
map(l=>l.mem_pct)}]});return{chart:n,card:te("The host",n)}}async function nf(e,t){let n=await ge("get_devices",Je(),t.signal),l=Zr(t);e.append(te("Devices",n.devices.
length?he({caption:"Devices",rows:n.devices,columns:[{head:"Device",text:i=>i.name??"?"},{head:"Driver",text:i=>i.driver??"\u2013"},{head:"UUID",text:i=>i.uuid??
"\u2013"},{head:"PCI address",text:i=>i.pci_address??"\u2013"}]}):Le("No device was seen."),n.known?null:Le("The recording has no readings: an earlier agent mad\
e it."),De(n)));let s=i=>`${i.uuid??i.pci_address}|${i.name}|${i.part}`,a=n.readings.find(i=>s(i)===W.chosen.reading),c=null;if(a){let i=await Jr(t,`SELECT time\
stamp - ${t.origin} AS at, value FROM device_samples WHERE uuid IS ${Ll(a.uuid)} AND pci_address IS ${Ll(a.pci_address)}
      AND name = ${Ll(a.name)} AND part = ${Ll(a.part)} AND ${mo()} ORDER BY timestamp`);c=cn({label:a.name,times:i.times,series:[{name:a.name,values:i.values}],
text:Sl,timeText:V}),e.append(te(a.name.replaceAll("_"," "),c))}return n.readings.length&&e.append(te("Readings",he({caption:"Readings; choose one to see it ove\
r time",rows:n.readings,key:s,chosen:W.chosen.reading??null,choose:i=>ut({reading:s(i)},!1),columns:[{head:"Reading",text:i=>`${i.name.replaceAll("_"," ")}${i.part?
` (${i.part})`:""}`,sort:i=>i.name},{head:"Device",text:i=>i.uuid??i.pci_address??"?",sort:i=>i.uuid},{head:"Last",number:!0,text:i=>i.last===null?"\u2013":Sl(i.
last)},{head:"Least",number:!0,text:i=>Sl(i.min)},{head:"Average",number:!0,text:i=>Sl(i.avg)},{head:"Most",number:!0,text:i=>Sl(i.max)},{head:"Samples",number:!0,
text:i=>G(i.samples)}]}))),n.processes.length&&e.append(te("Memory by process",he({caption:"Memory by process",rows:n.processes,columns:[{head:"Process",text:i=>i.
pid},{head:"Device",text:i=>i.device},{head:"Memory",number:!0,text:i=>ze(i.memory_bytes)}]}))),n.errors.length&&e.append(te("Errors of drivers",he({caption:"Er\
rors of drivers",rows:n.errors,columns:[{head:"Kind",text:i=>`${i.kind} ${i.code??""}`},{head:"Meaning",text:i=>i.meaning??""},{head:"Process",text:i=>i.process??
""},{head:"Message",text:i=>i.message}]}))),ho(c,await l,e)}var Qr={name:"fabric",title:"Fabric",draw:lf},Xr={name:"devices",title:"Devices",draw:nf};var ea=.5,os=class{constructor(t,n){this.context=t,this.onNews=n,this.lanes=[],this.views=new Map,this.cut=[],this.abort=null}text(t){return xn(this.context.origin+
BigInt(Math.round(t)))}async want(t,n,l,s){let a=n-t,c={from:Math.max(-1e9,t-ea*a),to:n+ea*a},i=l.filter(d=>{let g=this.views.get(d);return!g||g.asked.from>t||g.
asked.to<n?!0:g.bins.length>0&&g.asked.to-g.asked.from>3*a});if(this.lanes.length&&i.length===0||this.abort)return;let f=new AbortController;this.abort=f;let m=await ge(
"get_timeline",{from:this.text(c.from),to:this.text(c.to),bins:Math.min(1e3,Math.max(50,Math.round(s))),...l.length?{lanes:l.slice(0,48)}:{}},f.signal).finally(
()=>{this.abort=null});this.take(m,c),this.onNews()}take(t,n){this.lanes=t.lanes,this.cut=t.cut;let l=t.from?Number(Ue(t.from)-this.context.origin):0;for(let s of t.
views){let a=new Set(s.failed);this.views.set(s.lane,{asked:n,from:l,binNs:s.bins.length?t.bin_ns:0,bins:s.bins,ops:t.ops,slices:s.start_ns.map((c,i)=>({start:l+
c,duration:s.duration_ns[i],op:t.ops[s.op[i]],depth:s.depth[i],seq:s.seq[i],failed:a.has(s.seq[i])}))})}}forget(){this.views.clear()}};var ta=100,el=(e,t,n)=>Math.min(n,Math.max(t,e));function po(e){return e.group==="thread"?`thread ${e.tid}`:e.group==="stream"?e.stream===0?"default stream":`st\
ream ${BigInt(e.stream).toString(16)}`:e.group==="rank"?e.rank===null?`rank unknown (pid ${e.pid})`:`rank ${e.rank}${e.nranks?` of ${e.nranks}`:""}`:e.op}var go=e=>`${e.
process||"?"} ${e.pid}${e.node?` on ${e.node}`:""}`;function sf(e,t){let n=[];t.length&&n.push({title:"Causes",chains:t});let l=null;for(let s of e){let a=s.group===
"rank"?"Collectives by rank":go(s);a!==l&&n.push({heading:a}),l=a,n.push({lane:s,title:po(s)})}return n}var wo=class{constructor(t,n){this.context=n,this.data=new os(
n,()=>{this.arrange(),this.schedule()}),this.chains=[],this.lines=[],this.top=0,this.frames=[],this.canvas=x("canvas",{tabindex:"0",role:"application",id:"lanes",
"aria-roledescription":"timeline","aria-label":"Timeline. Arrow keys move, plus and minus zoom, comma and period choose calls; ? lists the keys.","aria-describe\
dby":"chosen-call"}),this.detail=x("div",{id:"chosen-call","aria-live":"polite"}),this.scroller=x("div",{class:"lanes"},this.canvas),this.where=x("span",{class:"\
quiet"});let l=(s,a,c)=>x("button",{onclick:a,title:c?`${s} (${c})`:s},s);this.cutList=x("div"),t.append(x("section",{class:"card"},x("h2",{},"Timeline"),x("div",
{class:"bar"},l("Closer",()=>this.zoom(.5),"+"),l("Farther",()=>this.zoom(2),"\u2212"),l("Earlier",()=>this.pan(-.3),"\u2190"),l("Later",()=>this.pan(.3),"\u2192"),
l("Whole",()=>this.whole(),"0"),this.where),this.scroller,this.legend(),this.cutList),te("The chosen call",this.detail)),this.listen()}legend(){return x("ul",{class:"\
legend","aria-label":"Colours"},["launch","memcpy","memset","alloc","free","sync","event","graph","collective","p2p","fabric","host"].map(n=>x("li",{},x("i",{class:`\
kind ${n}`}),n)))}async start(){let{context:t}=this,n=(a,c)=>a&&Ue(a)!==null?Number(Ue(a)-t.origin):c,l=Math.max(t.spanNs,1e3);this.from=n(W.from,-.01*l),this.to=
Math.max(this.from+ta,n(W.to,1.01*l)),this.lane=W.chosen.lane??null,this.chosen=W.chosen.call?Number(W.chosen.call):null;let s=await ge("get_causal_chains",{top_n:-1},
t.signal);this.chains=s.chains.filter(a=>a.onset&&Ue(a.onset)!==null).map(a=>({...a,from:Number(Ue(a.onset)-t.origin),to:a.end?Number(Ue(a.end)-t.origin):t.spanNs})),
await this.data.want(this.from,this.to,[],800),this.cutList.replaceChildren(De(this.data)??""),this.chosen!==null?await this.describe():W.chosen.chain?this.describeChain(
this.chains.find(a=>a.id===W.chosen.chain)):this.detail.replaceChildren(x("p",{class:"quiet"},"None. Click one, or press comma or period on the timeline."))}arrange(){
this.lines=sf(this.data.lanes,this.chains)}resize(){let t=this.scroller.clientWidth;if(!t)return;this.left=t<600?88:190,this.height=el(xt+this.lines.length*Ne+6,
160,Math.max(260,innerHeight-330));let n=devicePixelRatio||1;this.canvas.width=Math.round(t*n),this.canvas.height=Math.round(this.height*n),this.canvas.style.height=
`${this.height}px`,this.width=t-this.left,this.ratio=n,this.schedule()}schedule(){this.due||this.closed||(this.due=requestAnimationFrame(()=>{this.due=0,this.draw()}))}draw(){
if(!this.width)return;if(el(xt+this.lines.length*Ne+6,160,Math.max(260,innerHeight-330))!==this.height)return this.resize();let n=performance.now(),l=this.canvas.
getContext("2d");l.setTransform(this.ratio,0,0,this.ratio,0,0),l.fillStyle=xe("card"),l.fillRect(0,0,this.left+this.width,this.height);let s={from:this.from,to:this.
to,left:this.left,width:this.width,height:this.height,lane:this.lane,chosen:this.chosen,chain:W.chosen.chain};this.top=el(this.top,0,Math.max(0,this.lines.length*
Ne-(this.height-xt))),zr(l,s),l.save(),l.beginPath(),l.rect(0,xt,this.left+this.width,this.height-xt),l.clip();let a=this.seen();l.save(),Ir(l,a,this.data.views,
s),l.restore(),this.drawTitles(l,a),l.restore(),this.where.textContent=`${V(this.to-this.from)} from ${V(Math.max(0,this.from))} on`,this.frames.push(performance.
now()-n),this.frames.length>2e3&&this.frames.splice(0,1e3),this.canvas.frames=this.frames,this.ask()}seen(){let t=Math.floor(this.top/Ne);return this.lines.slice(
t,t+Math.ceil((this.height-xt)/Ne)+1).map((n,l)=>({line:n,y:xt+(t+l)*Ne-this.top}))}drawTitles(t,n){t.textBaseline="middle";let l=this.left<120;for(let{line:s,y:a}of n){
t.font=`${s.heading?"600 ":""}${l?11:12}px system-ui, sans-serif`;let c=s.heading??s.title,i=s.heading?t.measureText(c).width+8:this.left;t.fillStyle=s.lane&&s.
lane.lane===this.lane?xe("chosen"):xe("card"),t.fillRect(0,a,i,Ne),t.fillStyle=s.heading?xe("ink"):xe("quiet");let f=s.heading||l?2:12;s.heading?t.fillText(c,f,
a+Ne/2):t.fillText(c,f,a+Ne/2,this.left-f-4)}}ask(){this.asking||(this.asking=setTimeout(async()=>{this.asking=0;let t=this.seen().map(({line:n})=>n.lane?.lane).
filter(Boolean).slice(0,48);if(t.length)try{await this.data.want(this.from,this.to,t,this.width)}catch(n){n.name!=="AbortError"&&this.context.say(n.message)}},60))}move(t,n){
let l=Math.max(this.context.spanNs,1e3),s=el(n-t,ta,1.5*l),a=el((t+n)/2,-.2*l,1.2*l);this.from=a-s/2,this.to=a+s/2,this.schedule(),clearTimeout(this.noting),this.
noting=setTimeout(()=>{al({from:this.data.text(this.from),to:this.data.text(this.to),chosen:this.selection()},!0),this.context.header()},250)}selection(){return{
lane:this.lane,call:this.chosen,chain:W.chosen.chain}}zoom(t,n=.5){let l=this.to-this.from,s=this.from+n*l;this.move(s-n*l*t,s+(1-n)*l*t)}pan(t){let n=t*(this.to-
this.from);this.move(this.from+n,this.to+n)}whole(){let t=Math.max(this.context.spanNs,1e3);this.move(-.01*t,1.01*t)}chooseLane(t){let n=this.lines.map((i,f)=>({
line:i,i:f})).filter(({line:i})=>i.lane);if(!n.length)return;let l=n.findIndex(({line:i})=>i.lane.lane===this.lane),s=n[el(l<0?0:l+t,0,n.length-1)];this.lane=s.
line.lane.lane;let a=s.i*Ne,c=this.height-xt-Ne;this.top=el(this.top,a-c,a),this.context.say(`${po(s.line.lane)}, ${go(s.line.lane)}, ${G(s.line.lane.events)} e\
vents`),ut(this.selection()),this.schedule()}chooseCall(t){this.lane||this.chooseLane(0);let n=this.data.views.get(this.lane)?.slices??[];if(!n.length){this.context.
say(this.data.views.get(this.lane)?.bins.length?"Too many calls to choose one here: zoom closer.":"No call here.");return}let l=n.findIndex(a=>a.seq===this.chosen),
s=l>=0?l+t:Math.max(0,n.findIndex(a=>a.start>=this.from));this.take(n[el(s,0,n.length-1)])}take(t){if(this.chosen=t?.seq??null,t&&(t.start>this.to||t.start+(t.duration??
0)<this.from)){let n=(this.to-this.from)/2;this.move(t.start-n,t.start+n)}ut({...this.selection(),chain:null}),this.schedule(),this.describe()}async describe(){
let t=this.chosen;if(t!==null)try{let[n]=await Gt(`SELECT op_name, call, kind, layer, comm, pid, tid, duration, outcome, ret_code, failed, bytes, direction, str\
eam, kernel, gpu_id,
        library, parent_call, preempted_ns, runqueue_ns, blocked_ns, io_ns, culprit_comm, culprit_pid, culprit_ns FROM events WHERE seq = ${Number(t)}`,1);if(t!==
this.chosen||!n)return;let l=[["preempted",n.preempted_ns],["waiting for a CPU",n.runqueue_ns],["blocked",n.blocked_ns],["on I/O",n.io_ns]];this.detail.replaceChildren(
x("h3",{},n.op_name),Tt([["Took",V(n.duration)],["Call",n.call],["Process",`${n.comm??"?"} ${n.pid}`],["Thread",n.tid],["Outcome",n.failed?`${n.outcome}, failed\
 (${n.ret_code})`:n.outcome],["Bytes",n.bytes===null?null:ze(n.bytes)],["Direction",n.direction],["Stream",n.stream===null?null:`0x${BigInt.asUintN(64,BigInt(n.
stream)).toString(16)}`],["Kernel",n.kernel],["Device",n.gpu_id],["Library",n.library],["Made inside",n.parent_call],["Off the CPU",l.filter(([,s])=>s).map(([s,
a])=>`${V(a)} ${s}`).join(", ")],["Meanwhile ran",n.culprit_comm?`${n.culprit_comm} ${n.culprit_pid}, ${V(n.culprit_ns)}`:null]]))}catch(n){n.name!=="AbortError"&&
this.context.say(n.message)}}describeChain(t){t&&this.detail.replaceChildren(x("h3",{},`${t.severity}: ${t.summary}`),x("p",{},t.root_cause),x("p",{class:"quiet"},
`from ${kl(t.onset)} to ${kl(t.end)}`))}at(t){let n=this.canvas.getBoundingClientRect(),[l,s]=[t.clientX-n.left,t.clientY-n.top],a=el((l-this.left)/this.width,0,
1);return{x:l,y:s,part:a,time:this.from+a*(this.to-this.from),line:this.lines[Math.floor((s-xt+this.top)/Ne)]}}click(t){let{line:n,time:l}=this.at(t);if(n?.chains){
let c=4*(this.to-this.from)/this.width,i=n.chains.find(f=>f.from-c<=l&&l<=f.to+c);i&&(this.chosen=null,ut({...this.selection(),chain:i.id}),this.describeChain(i),
this.schedule());return}if(!n?.lane)return;this.lane=n.lane.lane;let s=3*(this.to-this.from)/this.width,a=null;for(let c of this.data.views.get(this.lane)?.slices??
[]){if(c.start-s>l)break;c.start+(c.duration??1/0)+s>=l&&(!a||c.depth>=a.depth)&&(a=c)}a?this.take(a):(ut(this.selection()),this.context.say(`${po(n.lane)}, ${go(
n.lane)}`),this.schedule())}listen(){let{canvas:t}=this;t.addEventListener("wheel",l=>{l.preventDefault(),l.ctrlKey||l.metaKey?this.zoom(Math.exp(l.deltaY/300),
this.at(l).part):l.shiftKey||Math.abs(l.deltaX)>Math.abs(l.deltaY)?this.pan((l.deltaX||l.deltaY)/this.width):this.lines.length*Ne>this.height-xt?(this.top+=l.deltaY,
this.schedule()):scrollBy(0,l.deltaY)},{passive:!1});let n=null;t.addEventListener("pointerdown",l=>{n={x:l.clientX,y:l.clientY,from:this.from,to:this.to,top:this.
top,moved:!1},t.setPointerCapture(l.pointerId)}),t.addEventListener("pointermove",l=>{if(!n)return;let[s,a]=[l.clientX-n.x,l.clientY-n.y];if(!n.moved&&Math.hypot(
s,a)<4)return;n.moved=!0;let c=-(s/this.width)*(n.to-n.from);this.top=n.top-a,this.move(n.from+c,n.to+c)}),t.addEventListener("pointerup",l=>{n&&!n.moved&&this.
click(l),n=null}),t.addEventListener("pointercancel",()=>{n=null}),t.addEventListener("keydown",l=>this.key(l)),this.observer=new ResizeObserver(()=>this.resize()),
this.observer.observe(this.scroller),this.scheme=matchMedia("(prefers-color-scheme: dark)"),this.onScheme=()=>{uo(),this.schedule()},this.scheme.addEventListener(
"change",this.onScheme)}key(t){if(t.altKey||t.metaKey)return;let n=()=>(this.data.views.get(this.lane)?.slices??[]).find(s=>s.seq===this.chosen),l={ArrowLeft:()=>this.
pan(t.shiftKey?-.5:-.1),ArrowRight:()=>this.pan(t.shiftKey?.5:.1),ArrowUp:()=>t.ctrlKey?this.zoom(.7):this.chooseLane(-1),ArrowDown:()=>t.ctrlKey?this.zoom(1.4):
this.chooseLane(1),"+":()=>this.zoom(.6),"=":()=>this.zoom(.6),"-":()=>this.zoom(1.6),",":()=>this.chooseCall(-1),".":()=>this.chooseCall(1),0:()=>this.whole(),
Home:()=>this.move(0,this.to-this.from),End:()=>this.move(this.context.spanNs-(this.to-this.from),this.context.spanNs),Enter:()=>{let s=n();s&&this.move(s.start-
.2*Math.max(s.duration??0,1e3),s.start+1.2*Math.max(s.duration??0,1e3))}};l[t.key]&&(t.preventDefault(),t.stopPropagation(),l[t.key]())}close(){this.closed=!0,cancelAnimationFrame(
this.due),clearTimeout(this.asking),clearTimeout(this.noting),this.data.abort?.abort(),this.observer.disconnect(),this.scheme.removeEventListener("change",this.
onScheme)}},ot=null;async function of(e,t){uo();let n=new wo(e,t);return await n.start(),n.arrange(),ot=n,()=>n.close()}async function rf(e){if(!ot||ot.closed)return;
let t=ot.to>=ot.context.spanNs;if(ot.context.spanNs=e.spanNs,ot.data.forget(),!W.from&&!W.to)ot.from=-.01*e.spanNs,ot.to=1.01*e.spanNs;else if(t&&ot.to<e.spanNs){
let n=ot.to-ot.from;ot.from=e.spanNs-n,ot.to=e.spanNs+.01*n}ot.schedule()}var la={name:"timeline",title:"Timeline",draw:of,refresh:rf};var hl=[jr,Gr,la,ui,qr,ai,Qr,Xr,fi],af=2e3,$t=document.getElementById("main"),is=document.getElementById("notice"),cf=document.getElementById("status"),it={info:null,
origin:0n,spanNs:0,say:e=>{cf.textContent=e},header:()=>rs()},Nl=null,Cn=!0;async function uf(){let e=await ge("get_trace_stats"),{file:t,live:n,earlier_agent:l,
schema:s}=e.recording;it.info={file:t,live:n,earlier:l,schema:s,first:e.first,last:e.last,events:e.events},it.origin=Ue(e.first)??0n,it.spanNs=e.last?Number(Ue(
e.last)-it.origin):0}var ft={text:x("span"),follow:x("button",{id:"follow",onclick:()=>{Cn=!Cn,rs()}}),links:hl.map((e,t)=>x("a",{"aria-keyshortcuts":String(t+1)},
e.title)),part:x("span"),whole:x("button",{id:"whole",onclick:()=>al({from:null,to:null,chosen:W.chosen})},"Whole recording")};document.getElementById("recordin\
g").append(ft.text," ",ft.follow);document.getElementById("views").append(...ft.links);document.getElementById("part").append(ft.part," ",ft.whole);function rs(){
let{file:e,live:t,earlier:n,first:l,events:s}=it.info;document.title=`${hl.find(m=>m.name===W.view)?.title??"?"} \u2013 ${e} \u2013 ingero`;let a=[e,`${G(s)} ev\
ents`,l?`${V(it.spanNs)} from ${l.slice(0,10)} ${kl(l)} UTC`:"no event yet"];if(n&&a.push("made by the earlier agent"),ft.text.textContent=a.join(" \xB7 "),ft.follow.
hidden=!t,ft.follow.textContent=Cn?"Live: following":"Live: paused",ft.follow.setAttribute("aria-pressed",String(Cn)),ft.links.forEach((m,d)=>{let g=hl[d].name===
W.view;if(m.href=Zt({view:hl[d].name}),g===m.hasAttribute("aria-current")||(m.toggleAttribute("aria-current",g),!g))return;m.setAttribute("aria-current","page");
let w=m.parentNode;w.scrollLeft=m.offsetLeft-w.offsetLeft-(w.clientWidth-m.offsetWidth)/2}),ft.whole.hidden=!W.from&&!W.to,ft.whole.hidden){ft.part.textContent=
"Whole recording";return}let c=(m,d)=>m?Number((Ue(m)??it.origin)-it.origin):d,[i,f]=[c(W.from,0),c(W.to,it.spanNs)];ft.part.textContent=`Part: ${V(Math.max(0,f-
i))}, from ${V(i)} on`}async function sa(e=!1){let t=hl.find(d=>d.name===W.view)??hl[0],n=new AbortController,l=Nl;l?.abort.abort();let s={view:t,abort:n};Nl=s,
rs(),e||$t.setAttribute("aria-busy","true");let a=x("div",{class:`view ${t.name}`});try{if(s.close=await t.draw(a,{...it,signal:n.signal}),Nl!==s){s.close?.();return}
is.hidden=!0}catch(d){if(Nl!==s||d.name==="AbortError")return;if(d instanceof rl&&d.status===401)return yo(d.message);a.replaceChildren(),bo(d)}l?.close?.();let c="\
a,button,input,select,[tabindex]",i=[...$t.querySelectorAll(c)].indexOf(document.activeElement),f=[scrollX,scrollY],m=[...$t.querySelectorAll("details")].map(d=>d.
open);$t.replaceChildren(a),$t.removeAttribute("aria-busy"),e&&(i>=0&&$t.querySelectorAll(c)[i]?.focus({preventScroll:!0}),$t.querySelectorAll("details").forEach(
(d,g)=>{d.open=m[g]??!1}),scrollTo(...f))}function bo(e){is.textContent=e instanceof rl?e.message:`This page failed: ${e.message}`,is.hidden=!1,e instanceof rl||
console.error(e)}var ff=()=>$t.querySelector(":active, input:focus, select:focus")!==null,na=0;async function oa(){let e=++na,t=!it.info||it.info.live&&Cn&&!document.
hidden;try{if(t){let n=!it.info;await uf(),is.hidden=!0,Nl?.view.refresh&&!n?(rs(),await Nl.view.refresh(it)):ff()||await sa(!0)}}catch(n){if(n.status===401)return yo(
n.message);bo(n)}setTimeout(()=>e===na&&oa(),af)}async function yo(e){try{e?await Ls($t,e):await Xo($t),document.activeElement?.blur()}catch(t){bo(t)}oa()}addEventListener(
"keydown",e=>oi(e,hl,Nl?.view));document.getElementById("skip").addEventListener("click",e=>{e.preventDefault(),$t.focus()});ti(()=>it.info&&sa().then(()=>{document.
activeElement===document.body&&$t.focus({preventScroll:!0})}));li();si(hl);yo();
