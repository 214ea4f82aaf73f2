// Made by serve/page/build.mjs from serve/page/source/: change those.
function y(e,t={},...n){let l=document.createElement(e);for(let[s,r]of Object.entries(t))r==null||r===!1||(s.startsWith("on")?l.addEventListener(s.slice(2),r):l.
setAttribute(s,r===!0?"":String(r)));for(let s of n.flat())s==null||s===!1||l.append(s instanceof Node?s:document.createTextNode(String(s)));return l}var yl="\u2013",
Bl=e=>e!=null;function Xo(e){let t=Math.abs(e);return t>=100?e.toFixed(0):t>=10?e.toFixed(1):e.toFixed(2)}var Ha=[["s",1e9],["ms",1e6],["\xB5s",1e3]];function R(e){
if(!Bl(e))return yl;let t=Math.abs(e);if(t===0)return"0";if(t>=36e11)return`${(e/36e11).toFixed(1)} h`;if(t>=12e10)return`${(e/6e10).toFixed(1)} min`;for(let[n,
l]of Ha)if(t>=l)return`${Xo(e/l)} ${n}`;return`${Math.round(e)} ns`}function De(e){if(!Bl(e))return yl;for(let[t,n]of[["TB",1e12],["GB",1e9],["MB",1e6],["kB",1e3]])
if(Math.abs(e)>=n)return`${Xo(e/n)} ${t}`;return`${e} B`}function H(e){return Bl(e)?Number(e).toLocaleString("en"):yl}function Kt(e){for(let[t,n]of[["T",1e12],[
"G",1e9],["M",1e6],["k",1e3]])if(Math.abs(e)>=n)return`${+(e/n).toPrecision(3)}${t}`;return String(+e.toPrecision(3))}function _l(e){return Bl(e)&&Number.isFinite(
e)?`${(100*e).toFixed(e<.1?1:0)} %`:yl}function Oe(e){let t=/^(.*?)(?:\.(\d{1,9}))?Z$/.exec(e??""),n=t?Date.parse(`${t[1]}Z`):NaN;return Number.isNaN(n)?null:BigInt(
n)*1000000n+BigInt((t[2]??"").padEnd(9,"0"))}function un(e){let t=e/1000000000n;return`${new Date(Number(t)*1e3).toISOString().slice(0,19)}.${String(e-t*1000000000n).
padStart(9,"0")}Z`}function Tn(e){return e?e.slice(11,23).replace("Z",""):yl}var vl="ingero-token",Xt=class extends Error{constructor(t,n,l){super(l),this.status=t,this.word=n}},qa=/"(?:[^"\\]|\\.)*"|(?<![\d.])-?\d{16,}(?![\d.eE])/g,Ua=e=>JSON.
parse(e.replace(qa,t=>t[0]==='"'||Number.isSafeInteger(Number(t))?t:`"${t}"`));async function ei(e,t,n,l){let s=sessionStorage.getItem(vl),r=s?{Authorization:`B\
earer ${s}`}:{};n!==void 0&&(r["Content-Type"]="application/json");let c;try{c=await fetch(t,{method:e,headers:r,body:n,signal:l,credentials:"omit",cache:"no-st\
ore"})}catch(f){throw f.name==="AbortError"?f:new Xt(0,"gone","the server does not answer")}let i;try{i=Ua(await c.text())}catch(f){if(f.name==="AbortError")throw f;
if(c.ok)throw new Xt(c.status,"internal",`the server's answer cannot be read: ${f.message}`);i={error:`status ${c.status}`,class:"internal"}}if(!c.ok)throw new Xt(
c.status,i.class,i.error);return i}var me=(e,t={},n=void 0)=>ei("POST",`/api/v1/tools/${e}`,JSON.stringify(t),n),ti=e=>ei("GET",e);async function Tt(e,t=1e3,n=void 0){
let l=await me("run_sql",{query:e,limit:t},n);return l.data.map(s=>Object.fromEntries(s.map((r,c)=>[l.columns[c],r])))}async function ni(e){let{asks_token:t}=await ti(
"/page.json");!t||sessionStorage.getItem(vl)||await Ls(e,"")}function Ls(e,t){return sessionStorage.removeItem(vl),new Promise(n=>{let l=y("input",{id:"token",type:"\
password",autocomplete:"off",spellcheck:"false",required:!0}),s=y("p",{role:"alert"},t),r=y("form",{class:"card login"},y("h2",{},"Token"),y("p",{},"The recordi\
ng is for those who have the token that the server was started with. It stays in this tab."),y("label",{for:"token"},"Bearer token"),l,y("button",{type:"submit"},
"Open"),s);r.addEventListener("submit",async c=>{c.preventDefault(),sessionStorage.setItem(vl,l.value);try{await ti("/api/v1/health"),n()}catch(i){sessionStorage.
removeItem(vl),s.textContent=i.status===401?"That is not the token.":i.message,l.select()}}),e.replaceChildren(r),l.focus()})}var I={view:"overview",from:null,to:null,chosen:{}},li=[],si=e=>li.push(e);function Ns(){let[e,t=""]=location.hash.replace(/^#\/?/,"").split("?"),n=new URLSearchParams(
t);I.view=e||"overview",I.from=n.get("from"),I.to=n.get("to"),n.delete("from"),n.delete("to"),I.chosen=Object.fromEntries(n)}function At({view:e=I.view,from:t=I.
from,to:n=I.to,chosen:l={}}={}){let s=new URLSearchParams;t&&s.set("from",t),n&&s.set("to",n);for(let[c,i]of Object.entries(l))i!=null&&s.set(c,i);let r=s.toString();
return`#/${e}${r?`?${r}`:""}`}function fn(e,t=!1){let n=At(e);if(n!==location.hash){if(!t){location.hash=n;return}history.replaceState(null,"",n),Ns()}}var Xe=(e,t=!0)=>fn(
{chosen:{...I.chosen,...e}},t),ze=()=>({...I.from&&{from:I.from},...I.to&&{to:I.to}});function tl(e,t){let n=[];return I.from&&n.push(`${e} >= ${t(I.from)}`),I.
to&&n.push(`${e} <= ${t(I.to)}`),n.length?n.join(" AND "):"1"}function oi(){Ns(),addEventListener("hashchange",()=>{Ns();for(let e of li)e()})}var Ds=e=>(e+1).toString(36),Ya=[["1 to 9, a","the views, in their order"],["0","the whole recording"],["?","this list"],["Escape","closes it"]],Ga=[["\u2190 \u2192",
"earlier, later"],["+ \u2212","closer, farther (also \u2191 \u2193 with Ctrl, or the wheel with Ctrl)"],["\u2191 \u2193","the lane above, below"],[", .","the pr\
evious, the next call of the lane"],["Enter","as close as the chosen call"],["Home End","the beginning, the end"]],Vl=document.getElementById("keys"),ii=(e,t)=>[
y("h3",{},e),y("dl",{class:"keys"},t.map(([n,l])=>y("div",{},y("dt",{},y("kbd",{},n)),y("dd",{},l))))];function ri(){Vl.replaceChildren(y("h2",{id:"keys-title"},
"Keys"),...ii("Everywhere",Ya),...ii("On the timeline",Ga),y("button",{onclick:()=>Vl.close()},"Close"))}var Ka=e=>e instanceof HTMLElement&&(e.isContentEditable||
/^(INPUT|SELECT|TEXTAREA)$/.test(e.tagName));function ai(e,t){if(e.ctrlKey||e.metaKey||e.altKey||Ka(e.target)||Vl.open)return;let n=t.findIndex((l,s)=>Ds(s)===e.
key);if(e.key==="?")Vl.showModal();else if(e.key==="0")fn({from:null,to:null});else if(n>=0)fn({view:t[n].name});else return;e.preventDefault()}var ci=new Map;function ie({caption:e,columns:t,rows:n,sorted:l=null,choose:s=null,key:r=null,chosen:c=null,most:i=200}){let f=ci.get(e)??{by:l,down:!0};ci.set(
e,f);let m=y("tbody"),d=y("p",{class:"quiet"});function g(){let M=t[f.by],L=n;M?.sort&&(L=[...n].sort((x,F)=>{let[_,A]=[M.sort(x),M.sort(F)],S=_===A?0:_==null?-1:
A==null?1:_<A?-1:1;return f.down?-S:S})),m.replaceChildren(...L.slice(0,i).map(x=>{let F=y("tr",{"aria-selected":r&&c!==null?String(r(x))===String(c):void 0});return t.
forEach((_,A)=>{let S=_.node?_.node(x):_.text(x);F.append(y(A===0?"th":"td",{scope:A===0?"row":void 0,class:_.number?"number":void 0},A===0&&s?y("button",{class:"\
plain",onclick:()=>s(x)},S):S))}),F})),d.textContent=n.length>i?`${i} of ${n.length} rows are shown.`:"",w.forEach((x,F)=>x.setAttribute("aria-sort",F!==f.by?"n\
one":f.down?"descending":"ascending"))}let w=t.map((M,L)=>y("th",{scope:"col",class:M.number?"number":void 0,title:M.title},M.sort?y("button",{class:"plain",onclick:()=>{
f.down=f.by===L?!f.down:!0,f.by=L,g()}},M.head):M.head)),T=y("div",{class:"table",tabindex:"0",role:"group","aria-label":e},y("table",{},y("caption",{},e),y("th\
ead",{},y("tr",{},w)),m),d);return g(),T}function $t(e){return y("dl",{class:"facts"},e.filter(([,t])=>t!=null&&t!=="").map(([t,n])=>y("div",{},y("dt",{},t),y("\
dd",{},n))))}var G=(e,...t)=>y("section",{class:"card"},y("h2",{},e),...t),we=e=>y("p",{class:"quiet"},e),$e=e=>e?.cut?.length?y("ul",{class:"cut"},e.cut.map(t=>y(
"li",{},t))):null;var ui=e=>e===null?"made before the recording":BigInt(e).toString(16);async function ja(e,t){let n=await me("get_collectives",ze(),t.signal);if(!n.communicators.
length){e.append(G("Collectives",we("No collective was called in this part."),$e(n)));return}for(let l of n.communicators)e.append(G(`Communicator ${ui(l.comm_id_hash)}`,
$t([["Ranks",l.nranks],["Ranks seen here",H(l.ranks_seen)],["Collectives that several entered",H(l.rounds)],["First to last, at most",l.max_skew_ns===null?null:
R(l.max_skew_ns)]]),l.hangs.length?y("ul",{class:"cut"},l.hangs.map(s=>y("li",{},`${s.call} number ${s.number}: ranks ${s.missing} missing while ${s.present} wa\
ited ${R(s.waited_ns)}${s.is_over?"":", still"}`))):null,ie({caption:"Calls",rows:l.ops,columns:[{head:"Call",text:s=>s.call},{head:"Calls",number:!0,text:s=>H(
s.calls)},{head:"Bytes",number:!0,text:s=>De(s.bytes)},{head:"Average wait",number:!0,text:s=>R(s.average_wait_ns)},{head:"Longest wait",number:!0,text:s=>R(s.max_wait_ns)}]}),
l.last.length?ie({caption:"Who came last",rows:l.last,columns:[{head:"Came last",text:s=>s.rank===null?`pid ${s.pid}`:`rank ${s.rank}`},{head:"Times",number:!0,
text:s=>H(s.times)},{head:"After the first, at most",number:!0,text:s=>R(s.max_skew_ns)},{head:"After the one before",number:!0,text:s=>R(s.late_ns)}]}):null));
e.append(G("By rank",ie({caption:"By rank",rows:n.ranks,columns:[{head:"Rank",text:l=>l.rank===null?`pid ${l.pid}`:l.rank,sort:l=>l.rank},{head:"Communicator",text:l=>ui(
l.comm_id_hash)},{head:"Calls",number:!0,text:l=>H(l.calls),sort:l=>l.calls},{head:"Bytes",number:!0,text:l=>De(l.bytes),sort:l=>l.bytes},{head:"Average wait",number:!0,
text:l=>R(l.average_wait_ns),sort:l=>l.average_wait_ns},{head:"Longest wait",number:!0,text:l=>R(l.max_wait_ns),sort:l=>l.max_wait_ns},{head:"Last number",number:!0,
text:l=>H(l.last_number),sort:l=>l.last_number}]}),$e(n)))}var fi={name:"collectives",title:"Collectives",draw:ja};function Ja(e){let t={name:"all",ns:0,n:0,children:new Map};for(let n of e){if(!n.frames?.length)continue;t.ns+=n.total_ns??0,t.n+=n.n;let l=t;for(let s of[...n.
frames].reverse())l.children.has(s)||l.children.set(s,{name:s,ns:0,n:0,children:new Map}),l=l.children.get(s),l.ns+=n.total_ns??0,l.n+=n.n}return t}function Za(e,t){
let n=e;for(let l of t)if(n=n.children.get(l),!n)return null;return n}var Qa=e=>e.children.size===0?"leaf":/\.py\b|\[Python\]/.test(e.name)?"python":"native";function hi(e,t,n,l,s=0){
if(s>60)return null;let r=[...e.children.values()].sort((c,i)=>i.ns-c.ns).filter(c=>c.ns/t.ns>.002);return y("ul",{class:"icicle"},r.map(c=>{let i=y("li",{},y("\
button",{class:`box ${Qa(c)}`,title:`${c.name}: ${R(c.ns)}, ${_l(c.ns/t.ns)}, ${H(c.n)} calls`,onclick:()=>l([...n,c.name])},c.name),hi(c,t,[...n,c.name],l,s+1));
return i.style.flexGrow=String(c.ns),i.style.width=`${100*c.ns/e.ns}%`,i}))}async function Xa(e,t){let n=await me("get_stacks",{...ze(),limit:100,...I.chosen.op&&
{op:I.chosen.op}},t.signal),l=n.stacks.filter(d=>d.frames?.length),s=Ja(l),r=[];try{r=JSON.parse(I.chosen.path??"[]")}catch{r=[]}let c=Array.isArray(r)?Za(s,r.map(
String))??s:s;c===s&&(r=[]);let i=d=>Xe({path:d.length?JSON.stringify(d):null},!1),f=[...new Set(n.stacks.map(d=>d.op))].sort(),m=y("select",{id:"op"},y("option",
{value:""},"all calls"),f.map(d=>y("option",{value:d,selected:d===I.chosen.op},d)));I.chosen.op&&!f.includes(I.chosen.op)&&m.append(y("option",{value:I.chosen.op,
selected:!0},I.chosen.op)),m.addEventListener("change",()=>Xe({op:m.value||null,path:null},!1)),e.append(y("section",{class:"card"},y("h2",{},"Where calls were \
made"),y("div",{class:"bar"},y("label",{for:"op"},"Of"),m,r.length?y("button",{onclick:()=>i([])},"All of it"):null,r.length?y("button",{onclick:()=>i(r.slice(0,
-1))},"One frame out"):null),l.length?y("div",{},r.length?y("p",{},r.at(-1)):null,y("p",{class:"quiet"},`${R(c.ns)} in ${H(c.n)} calls; a frame is as wide as it\
s share, the calls stand at the bottom.`),y("div",{class:"flames",role:"group","aria-label":"Flame graph"},hi(c,c,r,i))):we("This part has no stacks: not every \
call has one (trace --stack), and recordings of the earlier agent may have none."),$e(n))),n.stacks.length&&e.append(G("Stacks",ie({caption:"Stacks by time",rows:n.
stacks,sorted:2,columns:[{head:"Call",text:d=>d.op,sort:d=>d.op},{head:"Calls",number:!0,text:d=>H(d.n),sort:d=>d.n},{head:"Time",number:!0,text:d=>R(d.total_ns),
sort:d=>d.total_ns},{head:"Longest",number:!0,text:d=>R(d.max_us===null?null:d.max_us*1e3),sort:d=>d.max_us},{head:"Innermost frames",text:d=>(d.frames??[]).slice(
0,3).join(" < ")||"not known"}]})))}var di={name:"flame",title:"Flame graph",draw:Xa};function ec(e){let t=e.flatMap(n=>n.rows.filter(l=>l.state!=="resolved").map(l=>({...l,library:n.library})));return y("div",{},ie({caption:"Rows by library of t\
his machine",rows:e,columns:[{head:"Library",text:n=>n.path},{head:"Version",text:n=>n.version??""},{head:"Processes",number:!0,text:n=>H(n.pids.length)},{head:"\
Resolved",number:!0,text:n=>H(n.resolved)},{head:"Absent",number:!0,text:n=>H(n.absent)},{head:"Refused",number:!0,text:n=>H(n.refused)},{head:"Single-stepped",
number:!0,text:n=>H(n.single_stepped)}]}),t.length?y("details",{},y("summary",{},`${H(t.length)} rows are absent or refused`),ie({caption:"Absent and refused ro\
ws",rows:t,columns:[{head:"Call",text:n=>n.call},{head:"Library",text:n=>n.library},{head:"State",text:n=>n.state},{head:"Why",text:n=>[n.reason,n.remedy].filter(
Boolean).join("; ")}]})):null)}async function tc(e,{info:t,signal:n}){let[l,s,r]=await Promise.all([me("get_trace_stats",{},n),Tt("SELECT id, (CASE WHEN stopped\
_at > 0 THEN stopped_at - started_at END) AS lasted_ns, kernel, os_release, cpu_model, cpu_cores, gpu_model, gpu_driver, flags, pid_filter, node, ingero_ver FRO\
M sessions ORDER BY id",50,n),t.earlier?Promise.resolve(null):Tt("SELECT backend, library, library_version, count(*) AS rows, count(DISTINCT name) AS calls FROM\
 sites GROUP BY 1, 2, 3 ORDER BY rows DESC",200,n)]),c=l.lost;e.append(G("What was lost",c===null?we("Not known: the earlier agent kept no account of it."):c.length===
0?we("Nothing."):ie({caption:"Losses",rows:c,sorted:1,columns:[{head:"What",text:f=>f.sentence},{head:"Count",number:!0,text:f=>H(f.count),sort:f=>f.count},{head:"\
Severity",node:f=>y("span",{class:`severity ${f.severity==="info"?"low":"medium"}`},f.severity),sort:f=>f.severity},{head:"Name",text:f=>f.name}]}))),e.append(G(
"Rows in use, by library",r===null?we("Not known: the earlier agent did not store it."):r.length===0?we("No call of a library was captured."):ie({caption:"Libra\
ries",rows:r,columns:[{head:"Library",text:f=>f.library??"the kernel"},{head:"Version",text:f=>f.library_version??""},{head:"Backend",text:f=>f.backend},{head:"\
Calls",number:!0,text:f=>H(f.calls)},{head:"Spellings",number:!0,text:f=>H(f.rows)}]}),y("p",{class:"quiet"},"Rows that saw at least one call. Which rows can be\
 attached at all, the check below says for the machine that serves this page."))),e.append(G("Runs of the agent",ie({caption:"Runs",rows:s,columns:[{head:"Run",
text:f=>`${f.id}${f.node?` on ${f.node}`:""}`},{head:"Lasted",number:!0,text:f=>f.lasted_ns===null?t.live?"running":"killed":R(f.lasted_ns)},{head:"Flags",text:f=>f.
flags??""},{head:"Processes",text:f=>f.pid_filter||"all"},{head:"Kernel",text:f=>f.kernel??""},{head:"CPU",text:f=>`${f.cpu_model??""}${f.cpu_cores?`, ${f.cpu_cores}`:
""}`},{head:"Device",text:f=>f.gpu_model??""},{head:"Version",text:f=>f.ingero_ver??""}]}),$t([["Events",H(l.events)],["Rows pruned to keep the file small",l.rows_pruned?
H(l.rows_pruned):"none"]]),$e(l)));let i=y("div",{},y("button",{id:"check",onclick:async()=>{i.replaceChildren(y("p",{class:"quiet"},"Looking\u2026"));try{let f=await me(
"get_check");i.replaceChildren(y("p",{},`This machine is ${f.status}.`),ec(f.libraries),ie({caption:"Checks of this machine",rows:f.checks,columns:[{head:"Check",
text:m=>m.name},{head:"Verdict",text:m=>m.pass===null?"could not tell":m.pass?"passed":m.optional?"missing, not needed":"failed"},{head:"What was found",text:m=>[
m.value,m.detail,m.recommendation].filter(Boolean).join("; ")}]}))}catch(f){i.replaceChildren(y("p",{role:"alert"},f.message))}}},"Check this machine"));e.append(
G("The machine that serves this page",i))}var mi={name:"health",title:"Capture",draw:tc};var nc="uplot",lc="u-hz",sc="u-vt",oc="u-title",ic="u-wrap",rc="u-under",ac="u-over",cc="u-axis",Cn="u-off",uc="u-select",fc="u-cursor-x",hc="u-cursor-y",dc="u-\
cursor-pt",mc="u-legend",pc="u-live",gc="u-inline",wc="u-series",bc="u-marker",pi="u-label",xc="u-value",kl="width",Ml="height";var gi="bottom",nl="left",Ps="right",Zs="#000",wi=Zs+"0",Rs="mousemove",bi="mousedown",Os="mouseup",xi="mouseenter",yi="mouseleave",_i="dblclick",yc="resize",_c="\
scroll",vi="change",Gl="dppxchange",Qs="--",cl=typeof window<"u",Bs=cl?document:null,sl=cl?window:null,vc=cl?navigator:null,fe,Hl;function Vs(){let e=devicePixelRatio;
fe!=e&&(fe=e,Hl&&qs(vi,Hl,Vs),Hl=matchMedia(`(min-resolution: ${fe-.001}dppx) and (max-resolution: ${fe+.001}dppx)`),Ln(vi,Hl,Vs),sl.dispatchEvent(new CustomEvent(
Gl)))}function wt(e,t){if(t!=null){let n=e.classList;!n.contains(t)&&n.add(t)}}function Hs(e,t){let n=e.classList;n.contains(t)&&n.remove(t)}function Me(e,t,n){
e.style[t]=n+"px"}function It(e,t,n,l){let s=Bs.createElement(e);return t!=null&&wt(s,t),n?.insertBefore(s,l),s}function Ct(e,t){return It("div",e,t)}var Si=new WeakMap;
function jt(e,t,n,l,s){let r="translate("+t+"px,"+n+"px)",c=Si.get(e);r!=c&&(e.style.transform=r,Si.set(e,r),t<0||n<0||t>l||n>s?wt(e,Cn):Hs(e,Cn))}var ki=new WeakMap;
function Mi(e,t,n){let l=t+n,s=ki.get(e);l!=s&&(ki.set(e,l),e.style.background=t,e.style.borderColor=n)}var Ei=new WeakMap;function Ti(e,t,n,l){let s=t+""+n,r=Ei.
get(e);s!=r&&(Ei.set(e,s),e.style.height=n+"px",e.style.width=t+"px",e.style.marginLeft=l?-t/2+"px":0,e.style.marginTop=l?-n/2+"px":0)}var Xs={passive:!0},Sc={...Xs,
capture:!0};function Ln(e,t,n,l){t.addEventListener(e,n,l?Sc:Xs)}function qs(e,t,n,l){t.removeEventListener(e,n,Xs)}cl&&Vs();function Wt(e,t,n,l){let s;n=n||0,l=
l||t.length-1;let r=l<=2147483647;for(;l-n>1;)s=r?n+l>>1:bt((n+l)/2),t[s]<e?n=s:l=s;return e-t[n]<=t[l]-e?n:l}function tr(e){return(n,l,s)=>{let r=-1,c=-1;for(let i=l;i<=
s;i++)if(e(n[i])){r=i;break}for(let i=s;i>=l;i--)if(e(n[i])){c=i;break}return[r,c]}}var nr=e=>e!=null,lr=e=>e!=null&&e>0,Jl=tr(nr),kc=tr(lr);function Mc(e,t,n,l=0,s=!1){
let r=s?kc:Jl,c=s?lr:nr;[t,n]=r(e,t,n);let i=e[t],f=e[t];if(t>-1)if(l==1)i=e[t],f=e[n];else if(l==-1)i=e[n],f=e[t];else for(let m=t;m<=n;m++){let d=e[m];c(d)&&(d<
i?i=d:d>f&&(f=d))}return[i??be,f??-be]}function Zl(e,t,n,l){let s=Ci(e),r=Ci(t);e==t&&(s==-1?(e*=n,t/=n):(e/=n,t*=n));let c=n==10?en:sr,i=s==1?bt:Lt,f=r==1?Lt:bt,
m=i(c(Ve(e))),d=f(c(Ve(t))),g=ol(n,m),w=ol(n,d);return n==10&&(m<0&&(g=xe(g,-m)),d<0&&(w=xe(w,-d))),l||n==2?(e=g*s,t=w*r):(e=ar(e,g),t=Ql(t,w)),[e,t]}function eo(e,t,n,l){
let s=Zl(e,t,n,l);return e==0&&(s[0]=0),t==0&&(s[1]=0),s}var to=.1,Ai={mode:3,pad:to},Tl={pad:0,soft:null,mode:0},Ec={min:Tl,max:Tl};function Kl(e,t,n,l){return Xl(
n)?$i(e,t,n):(Tl.pad=n,Tl.soft=l?0:null,Tl.mode=l?3:0,$i(e,t,Ec))}function ce(e,t){return e??t}function Tc(e,t,n){for(t=ce(t,0),n=ce(n,e.length-1);t<=n;){if(e[t]!=
null)return!0;t++}return!1}function $i(e,t,n){let l=n.min,s=n.max,r=ce(l.pad,0),c=ce(s.pad,0),i=ce(l.hard,-be),f=ce(s.hard,be),m=ce(l.soft,be),d=ce(s.soft,-be),
g=ce(l.mode,0),w=ce(s.mode,0),T=t-e,M=en(T),L=ot(Ve(e),Ve(t)),x=en(L),F=Ve(x-M);(T<1e-24||F>10)&&(T=0,(e==0||t==0)&&(T=1e-24,g==2&&m!=be&&(r=0),w==2&&d!=-be&&(c=
0)));let _=T||L||1e3,A=en(_),S=ol(10,bt(A)),J=_*(T==0?e==0?.1:1:r),C=xe(ar(e-J,S/10),24),Z=e>=m&&(g==1||g==3&&C<=m||g==2&&C>=m)?m:be,Y=ot(i,C<Z&&e>=Z?Z:zt(Z,C)),
X=_*(T==0?t==0?.1:1:c),Q=xe(Ql(t+X,S/10),24),$=t<=d&&(w==1||w==3&&Q>=d||w==2&&Q<=d)?d:-be,te=zt(f,Q>$&&t<=$?$:ot($,Q));return Y==te&&Y==0&&(te=100),[Y,te]}var Ac=new Intl.
NumberFormat(cl?vc.language:"en-US"),no=e=>Ac.format(e),xt=Math,Yl=xt.PI,Ve=xt.abs,bt=xt.floor,Be=xt.round,Lt=xt.ceil,zt=xt.min,ot=xt.max,ol=xt.pow,Ci=xt.sign,en=xt.
log10,sr=xt.log2,$c=(e,t=1)=>xt.sinh(e)*t,Fs=(e,t=1)=>xt.asinh(e/t),be=1/0;function Li(e){return(en((e^e>>31)-(e>>31))|0)+1}function Us(e,t,n){return zt(ot(e,t),
n)}function or(e){return typeof e=="function"}function se(e){return or(e)?e:()=>e}var Cc=()=>{},ir=e=>e,rr=(e,t)=>t,Lc=e=>null,Ni=e=>!0,Di=(e,t)=>e==t,Nc=/\.\d*?(?=9{6,}|0{6,})/gm,
Nn=e=>{if(ur(e)||dn.has(e))return e;let t=`${e}`,n=t.match(Nc);if(n==null)return e;let l=n[0].length-1;if(t.indexOf("e-")!=-1){let[s,r]=t.split("e");return+`${Nn(
s)}e${r}`}return xe(e,l)};function An(e,t){return Nn(xe(Nn(e/t))*t)}function Ql(e,t){return Nn(Lt(Nn(e/t))*t)}function ar(e,t){return Nn(bt(Nn(e/t))*t)}function xe(e,t=0){
if(ur(e))return e;let n=10**t,l=e*n*(1+Number.EPSILON);return Be(l)/n}var dn=new Map;function cr(e){return((""+e).split(".")[1]||"").length}function $l(e,t,n,l){
let s=[],r=l.map(cr);for(let c=t;c<n;c++){let i=Ve(c),f=xe(ol(e,c),i);for(let m=0;m<l.length;m++){let d=e==10?+`${l[m]}e${c}`:l[m]*f,g=(c>=0?0:i)+(c>=r[m]?0:r[m]),
w=e==10?d:xe(d,g);s.push(w),dn.set(w,g)}}return s}var Al={},lo=[],il=[null,null],hn=Array.isArray,ur=Number.isInteger,Dc=e=>e===void 0;function Pi(e){return typeof e==
"string"}function Xl(e){let t=!1;if(e!=null){let n=e.constructor;t=n==null||n==Object}return t}function Pc(e){return e!=null&&typeof e=="object"}var Rc=Object.getPrototypeOf(
Uint8Array),fr="__proto__";function rl(e,t=Xl){let n;if(hn(e)){let l=e.find(s=>s!=null);if(hn(l)||t(l)){n=Array(e.length);for(let s=0;s<e.length;s++)n[s]=rl(e[s],
t)}else n=e.slice()}else if(e instanceof Rc)n=e.slice();else if(t(e)){n={};for(let l in e)l!=fr&&(n[l]=rl(e[l],t))}else n=e;return n}function Fe(e){let t=arguments;
for(let n=1;n<t.length;n++){let l=t[n];for(let s in l)s!=fr&&(Xl(e[s])?Fe(e[s],rl(l[s])):e[s]=rl(l[s]))}return e}var Oc=0,Fc=1,Ic=2;function Wc(e,t,n){for(let l=0,
s,r=-1;l<t.length;l++){let c=t[l];if(c>r){for(s=c-1;s>=0&&e[s]==null;)e[s--]=null;for(s=c+1;s<n&&e[s]==null;)e[r=s++]=null}}}function zc(e,t){if(Hc(e)){let c=e[0].
slice();for(let i=1;i<e.length;i++)c.push(...e[i].slice(1));return qc(c[0])||(c=Vc(c)),c}let n=new Set;for(let c=0;c<e.length;c++){let f=e[c][0],m=f.length;for(let d=0;d<
m;d++)n.add(f[d])}let l=[Array.from(n).sort((c,i)=>c-i)],s=l[0].length,r=new Map;for(let c=0;c<s;c++)r.set(l[0][c],c);for(let c=0;c<e.length;c++){let i=e[c],f=i[0];
for(let m=1;m<i.length;m++){let d=i[m],g=Array(s).fill(void 0),w=t?t[c][m]:Fc,T=[];for(let M=0;M<d.length;M++){let L=d[M],x=r.get(f[M]);L===null?w!=Oc&&(g[x]=L,
w==Ic&&T.push(x)):g[x]=L}Wc(g,T,s),l.push(g)}}return l}var Bc=typeof queueMicrotask>"u"?e=>Promise.resolve().then(e):queueMicrotask;function Vc(e){let t=e[0],n=t.
length,l=Array(n);for(let r=0;r<l.length;r++)l[r]=r;l.sort((r,c)=>t[r]-t[c]);let s=[];for(let r=0;r<e.length;r++){let c=e[r],i=Array(n);for(let f=0;f<n;f++)i[f]=
c[l[f]];s.push(i)}return s}function Hc(e){let t=e[0][0],n=t.length;for(let l=1;l<e.length;l++){let s=e[l][0];if(s.length!=n)return!1;if(s!=t){for(let r=0;r<n;r++)
if(s[r]!=t[r])return!1}}return!0}function qc(e,t=100){let n=e.length;if(n<=1)return!0;let l=0,s=n-1;for(;l<=s&&e[l]==null;)l++;for(;s>=l&&e[s]==null;)s--;if(s<=
l)return!0;let r=ot(1,bt((s-l+1)/t));for(let c=e[l],i=l+r;i<=s;i+=r){let f=e[i];if(f!=null){if(f<=c)return!1;c=f}}return!0}var hr=["January","February","March",
"April","May","June","July","August","September","October","November","December"],dr=["Sunday","Monday","Tuesday","Wednesday","Thursday","Friday","Saturday"];function mr(e){
return e.slice(0,3)}var Uc=dr.map(mr),Yc=hr.map(mr),Gc={MMMM:hr,MMM:Yc,WWWW:dr,WWW:Uc};function Sl(e){return(e<10?"0":"")+e}function Kc(e){return(e<10?"00":e<100?
"0":"")+e}var jc={YYYY:e=>e.getFullYear(),YY:e=>(e.getFullYear()+"").slice(2),MMMM:(e,t)=>t.MMMM[e.getMonth()],MMM:(e,t)=>t.MMM[e.getMonth()],MM:e=>Sl(e.getMonth()+
1),M:e=>e.getMonth()+1,DD:e=>Sl(e.getDate()),D:e=>e.getDate(),WWWW:(e,t)=>t.WWWW[e.getDay()],WWW:(e,t)=>t.WWW[e.getDay()],HH:e=>Sl(e.getHours()),H:e=>e.getHours(),
h:e=>{let t=e.getHours();return t==0?12:t>12?t-12:t},AA:e=>e.getHours()>=12?"PM":"AM",aa:e=>e.getHours()>=12?"pm":"am",a:e=>e.getHours()>=12?"p":"a",mm:e=>Sl(e.
getMinutes()),m:e=>e.getMinutes(),ss:e=>Sl(e.getSeconds()),s:e=>e.getSeconds(),fff:e=>Kc(e.getMilliseconds())};function so(e,t){t=t||Gc;let n=[],l=/\{([a-z]+)\}|[^{]+/gi,
s;for(;s=l.exec(e);)n.push(s[0][0]=="{"?jc[s[1]]:s[0]);return r=>{let c="";for(let i=0;i<n.length;i++)c+=typeof n[i]=="string"?n[i]:n[i](r,t);return c}}var Jc=new Intl.
DateTimeFormat().resolvedOptions().timeZone;function Zc(e,t){let n;return t=="UTC"||t=="Etc/UTC"?n=new Date(+e+e.getTimezoneOffset()*6e4):t==Jc?n=e:(n=new Date(
e.toLocaleString("en-US",{timeZone:t})),n.setMilliseconds(e.getMilliseconds())),n}var pr=e=>e%1==0,jl=[1,2,2.5,5],Qc=$l(10,-32,0,jl),gr=$l(10,0,32,jl),Xc=gr.filter(
pr),$n=Qc.concat(gr),oo=`
`,wr="{YYYY}",Ri=oo+wr,br="{M}/{D}",El=oo+br,ql=El+"/{YY}",xr="{aa}",eu="{h}:{mm}",ll=eu+xr,Oi=oo+ll,Fi=":{ss}",de=null;function yr(e){let t=e*1e3,n=t*60,l=n*60,
s=l*24,r=s*30,c=s*365,f=(e==1?$l(10,0,3,jl).filter(pr):$l(10,-3,0,jl)).concat([t,t*5,t*10,t*15,t*30,n,n*5,n*10,n*15,n*30,l,l*2,l*3,l*4,l*6,l*8,l*12,s,s*2,s*3,s*
4,s*5,s*6,s*7,s*8,s*9,s*10,s*15,r,r*2,r*3,r*4,r*6,c,c*2,c*5,c*10,c*25,c*50,c*100]),m=[[c,wr,de,de,de,de,de,de,1],[s*28,"{MMM}",Ri,de,de,de,de,de,1],[s,br,Ri,de,
de,de,de,de,1],[l,"{h}"+xr,ql,de,El,de,de,de,1],[n,ll,ql,de,El,de,de,de,1],[t,Fi,ql+" "+ll,de,El+" "+ll,de,Oi,de,1],[e,Fi+".{fff}",ql+" "+ll,de,El+" "+ll,de,Oi,
de,1]];function d(g){return(w,T,M,L,x,F)=>{let _=[],A=x>=c,S=x>=r&&x<c,J=g(M),C=xe(J*e,3),Z=Is(J.getFullYear(),A?0:J.getMonth(),S||A?1:J.getDate()),Y=xe(Z*e,3);
if(S||A){let X=S?x/r:0,Q=A?x/c:0,$=C==Y?C:xe(Is(Z.getFullYear()+Q,Z.getMonth()+X,1)*e,3),te=new Date(Be($/e)),W=te.getFullYear(),K=te.getMonth();for(let q=0;$<=
L;q++){let oe=Is(W+Q*q,K+X*q,1),V=oe-g(xe(oe*e,3));$=xe((+oe+V)*e,3),$<=L&&_.push($)}}else{let X=x>=s?s:x,Q=bt(M)-bt(C),$=Y+Q+Ql(C-Y,X);_.push($);let te=g($),W=te.
getHours()+te.getMinutes()/n+te.getSeconds()/l,K=x/l,q=w.axes[T]._space,oe=F/q;for(;$=xe($+x,e==1?0:3),!($>L);)if(K>1){let V=bt(xe(W+K,6))%24,re=g($).getHours()-
V;re>1&&(re=-1),$-=re*l,W=(W+K)%24;let pe=_[_.length-1];xe(($-pe)/x,3)*oe>=.7&&_.push($)}else _.push($)}return _}}return[f,m,d]}var[tu,nu,lu]=yr(1),[su,ou,iu]=yr(
.001);$l(2,-53,53,[1]);function Ii(e,t){return e.map(n=>n.map((l,s)=>s==0||s==8||l==null?l:t(s==1||n[8]==0?l:n[1]+l)))}function Wi(e,t){return(n,l,s,r,c)=>{let i=t.
find(M=>c>=M[0])||t[t.length-1],f,m,d,g,w,T;return l.map(M=>{let L=e(M),x=L.getFullYear(),F=L.getMonth(),_=L.getDate(),A=L.getHours(),S=L.getMinutes(),J=L.getSeconds(),
C=x!=f&&i[2]||F!=m&&i[3]||_!=d&&i[4]||A!=g&&i[5]||S!=w&&i[6]||J!=T&&i[7]||i[1];return f=x,m=F,d=_,g=A,w=S,T=J,C(L)})}}function ru(e,t){let n=so(t);return(l,s,r,c,i)=>s.
map(f=>n(e(f)))}function Is(e,t,n){return new Date(e,t,n)}function zi(e,t){return t(e)}var au="{YYYY}-{MM}-{DD} {h}:{mm}{aa}";function Bi(e,t){return(n,l,s,r)=>r==
null?Qs:t(e(l))}function cu(e,t){let n=e.series[t];return n.width?n.stroke(e,t):n.points.width?n.points.stroke(e,t):null}function uu(e,t){return e.series[t].fill(
e,t)}var fu={show:!0,live:!0,isolate:!1,mount:Cc,markers:{show:!0,width:2,stroke:cu,fill:uu,dash:"solid"},idx:null,idxs:null,values:[]};function hu(e,t){let n=e.
cursor.points,l=Ct(),s=n.size(e,t);Me(l,kl,s),Me(l,Ml,s);let r=s/-2;Me(l,"marginLeft",r),Me(l,"marginTop",r);let c=n.width(e,t,s);return c&&Me(l,"borderWidth",c),
l}function du(e,t){let n=e.series[t].points;return n._fill||n._stroke}function mu(e,t){let n=e.series[t].points;return n._stroke||n._fill}function pu(e,t){return e.
series[t].points.size}var Ws=[0,0];function gu(e,t,n){return Ws[0]=t,Ws[1]=n,Ws}function Ul(e,t,n,l=!0){return s=>{s.button==0&&(!l||s.target==t)&&n(s)}}function zs(e,t,n,l=!0){
return s=>{(!l||s.target==t)&&n(s)}}var wu={show:!0,x:!0,y:!0,lock:!1,move:gu,points:{one:!1,show:hu,size:pu,width:0,stroke:mu,fill:du},bind:{mousedown:Ul,mouseup:Ul,
click:Ul,dblclick:Ul,mousemove:zs,mouseleave:zs,mouseenter:zs},drag:{setScale:!0,x:!0,y:!1,dist:0,uni:null,click:(e,t)=>{t.stopPropagation(),t.stopImmediatePropagation()},
_x:!1,_y:!1},focus:{dist:(e,t,n,l,s)=>l-s,prox:-1,bias:0},hover:{skip:[void 0],prox:null,bias:0},left:-10,top:-10,idx:null,dataIdx:null,idxs:null,event:null},_r={
show:!0,stroke:"rgba(0,0,0,0.07)",width:2},io=Fe({},_r,{filter:rr}),vr=Fe({},io,{size:10}),Sr=Fe({},_r,{show:!1}),ro='12px system-ui, -apple-system, "Segoe UI",\
 Roboto, "Helvetica Neue", Arial, "Noto Sans", sans-serif, "Apple Color Emoji", "Segoe UI Emoji", "Segoe UI Symbol", "Noto Color Emoji"',kr="bold "+ro,Mr=1.5,Vi={
show:!0,scale:"x",stroke:Zs,space:50,gap:5,alignTo:1,size:50,labelGap:0,labelSize:30,labelFont:kr,side:2,grid:io,ticks:vr,border:Sr,font:ro,lineGap:Mr,rotate:0},
bu="Value",xu="Time",Hi={show:!0,scale:"x",auto:!1,sorted:1,min:be,max:-be,idxs:[]};function yu(e,t,n,l,s){return t.map(r=>r==null?"":no(r))}function _u(e,t,n,l,s,r,c){
let i=[],f=dn.get(s)||0;n=c?n:xe(Ql(n,s),f);for(let m=n;m<=l;m=xe(m+s,f))i.push(Object.is(m,-0)?0:m);return i}function Ys(e,t,n,l,s,r,c){let i=[],f=e.scales[e.axes[t].
scale].log,m=f==10?en:sr,d=bt(m(n));s=ol(f,d),f==10&&(s=$n[Wt(s,$n)]);let g=n,w=s*f;f==10&&(w=$n[Wt(w,$n)]);do i.push(g),g=g+s,f==10&&!dn.has(g)&&(g=xe(g,dn.get(
s))),g>=w&&(s=g,w=s*f,f==10&&(w=$n[Wt(w,$n)]));while(g<=l);return i}function vu(e,t,n,l,s,r,c){let f=e.scales[e.axes[t].scale].asinh,m=l>f?Ys(e,t,ot(f,n),l,s):[
f],d=l>=0&&n<=0?[0]:[];return(n<-f?Ys(e,t,ot(f,-l),-n,s):[f]).reverse().map(w=>-w).concat(d,m)}var Er=/./,Su=/[12357]/,ku=/[125]/,qi=/1/,Gs=(e,t,n,l)=>e.map((s,r)=>t==
4&&s==0||r%l==0&&n.test(s.toExponential()[s<0?1:0])?s:null);function Mu(e,t,n,l,s){let r=e.axes[n],c=r.scale,i=e.scales[c],f=e.valToPos,m=r._space,d=f(10,c),g=f(
9,c)-d>=m?Er:f(7,c)-d>=m?Su:f(5,c)-d>=m?ku:qi;if(g==qi){let w=Ve(f(1,c)-d);if(w<m)return Gs(t.slice().reverse(),i.distr,g,Lt(m/w)).reverse()}return Gs(t,i.distr,
g,1)}function Eu(e,t,n,l,s){let r=e.axes[n],c=r.scale,i=r._space,f=e.valToPos,m=Ve(f(1,c)-f(2,c));return m<i?Gs(t.slice().reverse(),3,Er,Lt(i/m)).reverse():t}function Tu(e,t,n,l){
return l==null?Qs:t==null?"":no(t)}var Ui={show:!0,scale:"y",stroke:Zs,space:30,gap:5,alignTo:1,size:50,labelGap:0,labelSize:30,labelFont:kr,side:3,grid:io,ticks:vr,
border:Sr,font:ro,lineGap:Mr,rotate:0};function Au(e,t){let n=3+(e||1)*2;return xe(n*t,3)}function $u(e,t){let{scale:n,idxs:l}=e.series[0],s=e._data[0],r=e.valToPos(
s[l[0]],n,!0),c=e.valToPos(s[l[1]],n,!0),i=Ve(c-r),f=e.series[t],m=i/(f.points.space*fe);return l[1]-l[0]<=m}var Yi={scale:null,auto:!0,sorted:0,min:be,max:-be},
Tr=(e,t,n,l,s)=>s,Gi={show:!0,auto:!0,sorted:0,gaps:Tr,alpha:1,facets:[Fe({},Yi,{scale:"x"}),Fe({},Yi,{scale:"y"})]},Ki={scale:"y",auto:!0,sorted:0,show:!0,spanGaps:!1,
gaps:Tr,alpha:1,points:{show:$u,filter:null},values:null,min:be,max:-be,idxs:[],path:null,clip:null};function Cu(e,t,n,l,s){return n/10}var Ar={time:!0,auto:!0,
distr:1,log:10,asinh:1,min:null,max:null,dir:1,ori:0},Lu=Fe({},Ar,{time:!1,ori:1}),ji={};function $r(e,t){let n=ji[e];return n||(n={key:e,plots:[],sub(l){n.plots.
push(l)},unsub(l){n.plots=n.plots.filter(s=>s!=l)},pub(l,s,r,c,i,f,m){for(let d=0;d<n.plots.length;d++)n.plots[d]!=s&&n.plots[d].pub(l,s,r,c,i,f,m)}},e!=null&&(ji[e]=
n)),n}var al=1,Ks=2;function Dn(e,t,n){let l=e.mode,s=e.series[t],r=l==2?e._data[t]:e._data,c=e.scales,i=e.bbox,f=r[0],m=l==2?r[1]:r[t],d=l==2?c[s.facets[0].scale]:
c[e.series[0].scale],g=l==2?c[s.facets[1].scale]:c[s.scale],w=i.left,T=i.top,M=i.width,L=i.height,x=e.valToPosH,F=e.valToPosV;return d.ori==0?n(s,f,m,d,g,x,F,w,
T,M,L,ts,ul,ls,Lr,Dr):n(s,f,m,d,g,F,x,T,w,L,M,ns,fl,uo,Nr,Pr)}function ao(e,t){let n=0,l=0,s=ce(e.bands,lo);for(let r=0;r<s.length;r++){let c=s[r];c.series[0]==
t?n=c.dir:c.series[1]==t&&(c.dir==1?l|=1:l|=2)}return[n,l==1?-1:l==2?1:l==3?2:0]}function Nu(e,t,n,l,s){let r=e.mode,c=e.series[t],i=r==2?c.facets[1].scale:c.scale,
f=e.scales[i];return s==-1?f.min:s==1?f.max:f.distr==3?f.dir==1?f.min:f.max:0}function tn(e,t,n,l,s,r){return Dn(e,t,(c,i,f,m,d,g,w,T,M,L,x)=>{let F=c.pxRound,_=m.
dir*(m.ori==0?1:-1),A=m.ori==0?ul:fl,S,J;_==1?(S=n,J=l):(S=l,J=n);let C=F(g(i[S],m,L,T)),Z=F(w(f[S],d,x,M)),Y=F(g(i[J],m,L,T)),X=F(w(r==1?d.max:d.min,d,x,M)),Q=new Path2D(
s);return A(Q,Y,X),A(Q,C,X),A(Q,C,Z),Q})}function es(e,t,n,l,s,r){let c=null;if(e.length>0){c=new Path2D;let i=t==0?ls:uo,f=n;for(let g=0;g<e.length;g++){let w=e[g];
if(w[1]>w[0]){let T=w[0]-f;T>0&&i(c,f,l,T,l+r),f=w[1]}}let m=n+s-f,d=10;m>0&&i(c,f,l-d/2,m,l+r+d)}return c}function Du(e,t,n){let l=e[e.length-1];l&&l[0]==t?l[1]=
n:e.push([t,n])}function co(e,t,n,l,s,r,c){let i=[],f=e.length;for(let m=s==1?n:l;m>=n&&m<=l;m+=s)if(t[m]===null){let g=m,w=m;if(s==1)for(;++m<=l&&t[m]===null;)
w=m;else for(;--m>=n&&t[m]===null;)w=m;let T=r(e[g]),M=w==g?T:r(e[w]),L=g-s;T=c<=0&&L>=0&&L<f?r(e[L]):T;let F=w+s;M=c>=0&&F>=0&&F<f?r(e[F]):M,M>=T&&i.push([T,M])}
return i}function Ji(e){return e==0?ir:e==1?Be:t=>An(t,e)}function Cr(e){let t=e==0?ts:ns,n=e==0?(s,r,c,i,f,m)=>{s.arcTo(r,c,i,f,m)}:(s,r,c,i,f,m)=>{s.arcTo(c,r,
f,i,m)},l=e==0?(s,r,c,i,f)=>{s.rect(r,c,i,f)}:(s,r,c,i,f)=>{s.rect(c,r,f,i)};return(s,r,c,i,f,m=0,d=0)=>{m==0&&d==0?l(s,r,c,i,f):(m=zt(m,i/2,f/2),d=zt(d,i/2,f/2),
t(s,r+m,c),n(s,r+i,c,r+i,c+f,m),n(s,r+i,c+f,r,c+f,d),n(s,r,c+f,r,c,d),n(s,r,c,r+i,c,m),s.closePath())}}var ts=(e,t,n)=>{e.moveTo(t,n)},ns=(e,t,n)=>{e.moveTo(n,t)},
ul=(e,t,n)=>{e.lineTo(t,n)},fl=(e,t,n)=>{e.lineTo(n,t)},ls=Cr(0),uo=Cr(1),Lr=(e,t,n,l,s,r)=>{e.arc(t,n,l,s,r)},Nr=(e,t,n,l,s,r)=>{e.arc(n,t,l,s,r)},Dr=(e,t,n,l,s,r,c)=>{
e.bezierCurveTo(t,n,l,s,r,c)},Pr=(e,t,n,l,s,r,c)=>{e.bezierCurveTo(n,t,s,l,c,r)};function Rr(e){return(t,n,l,s,r)=>Dn(t,n,(c,i,f,m,d,g,w,T,M,L,x)=>{let{pxRound:F,
points:_}=c,A,S;m.ori==0?(A=ts,S=Lr):(A=ns,S=Nr);let J=xe(_.width*fe,3),C=(_.size-_.width)/2*fe,Z=xe(C*2,3),Y=new Path2D,X=new Path2D,{left:Q,top:$,width:te,height:W}=t.
bbox;ls(X,Q-Z,$-Z,te+Z*2,W+Z*2);let K=q=>{if(f[q]!=null){let oe=F(g(i[q],m,L,T)),V=F(w(f[q],d,x,M));A(Y,oe+C,V),S(Y,oe,V,C,0,Yl*2)}};if(r)r.forEach(K);else for(let q=l;q<=
s;q++)K(q);return{stroke:J>0?Y:null,fill:Y,clip:X,flags:al|Ks}})}function Or(e){return(t,n,l,s,r,c)=>{l!=s&&(r!=l&&c!=l&&e(t,n,l),r!=s&&c!=s&&e(t,n,s),e(t,n,c))}}
var Pu=Or(ul),Ru=Or(fl);function Fr(e){let t=ce(e?.alignGaps,0);return(n,l,s,r)=>Dn(n,l,(c,i,f,m,d,g,w,T,M,L,x)=>{[s,r]=Jl(f,s,r);let F=c.pxRound,_=W=>F(g(W,m,L,
T)),A=W=>F(w(W,d,x,M)),S,J;m.ori==0?(S=ul,J=Pu):(S=fl,J=Ru);let C=m.dir*(m.ori==0?1:-1),Z={stroke:new Path2D,fill:null,clip:null,band:null,gaps:null,flags:al},Y=Z.
stroke,X=!1;if(r-s>=L*4){let W=z=>n.posToVal(z,m.key,!0),K=null,q=null,oe,V,at,Ee=_(i[C==1?s:r]),re=_(i[s]),pe=_(i[r]),ne=W(C==1?re+1:pe-1);for(let z=C==1?s:r;z>=
s&&z<=r;z+=C){let Ie=i[z],Te=(C==1?Ie<ne:Ie>ne)?Ee:_(Ie),he=f[z];Te==Ee?he!=null?(V=he,K==null?(S(Y,Te,A(V)),oe=K=q=V):V<K?K=V:V>q&&(q=V)):he===null&&(X=!0):(K!=
null&&J(Y,Ee,A(K),A(q),A(oe),A(V)),he!=null?(V=he,S(Y,Te,A(V)),K=q=oe=V):(K=q=null,he===null&&(X=!0)),Ee=Te,ne=W(Ee+C))}K!=null&&K!=q&&at!=Ee&&J(Y,Ee,A(K),A(q),
A(oe),A(V))}else for(let W=C==1?s:r;W>=s&&W<=r;W+=C){let K=f[W];K===null?X=!0:K!=null&&S(Y,_(i[W]),A(K))}let[$,te]=ao(n,l);if(c.fill!=null||$!=0){let W=Z.fill=new Path2D(
Y),K=c.fillTo(n,l,c.min,c.max,$),q=A(K),oe=_(i[s]),V=_(i[r]);C==-1&&([V,oe]=[oe,V]),S(W,V,q),S(W,oe,q)}if(!c.spanGaps){let W=[];X&&W.push(...co(i,f,s,r,C,_,t)),
Z.gaps=W=c.gaps(n,l,s,r,W),Z.clip=es(W,m.ori,T,M,L,x)}return te!=0&&(Z.band=te==2?[tn(n,l,s,r,Y,-1),tn(n,l,s,r,Y,1)]:tn(n,l,s,r,Y,te)),Z})}function Ou(e){let t=ce(
e.align,1),n=ce(e.ascDesc,!1),l=ce(e.alignGaps,0),s=ce(e.extend,!1);return(r,c,i,f)=>Dn(r,c,(m,d,g,w,T,M,L,x,F,_,A)=>{[i,f]=Jl(g,i,f);let S=m.pxRound,{left:J,width:C}=r.
bbox,Z=re=>S(M(re,w,_,x)),Y=re=>S(L(re,T,A,F)),X=w.ori==0?ul:fl,Q={stroke:new Path2D,fill:null,clip:null,band:null,gaps:null,flags:al},$=Q.stroke,te=w.dir*(w.ori==
0?1:-1),W=Y(g[te==1?i:f]),K=Z(d[te==1?i:f]),q=K,oe=K;s&&t==-1&&(oe=J,X($,oe,W)),X($,K,W);for(let re=te==1?i:f;re>=i&&re<=f;re+=te){let pe=g[re];if(pe==null)continue;
let ne=Z(d[re]),z=Y(pe);t==1?X($,ne,W):X($,q,z),X($,ne,z),W=z,q=ne}let V=q;s&&t==1&&(V=J+C,X($,V,W));let[at,Ee]=ao(r,c);if(m.fill!=null||at!=0){let re=Q.fill=new Path2D(
$),pe=m.fillTo(r,c,m.min,m.max,at),ne=Y(pe);X(re,V,ne),X(re,oe,ne)}if(!m.spanGaps){let re=[];re.push(...co(d,g,i,f,te,Z,l));let pe=m.width*fe/2,ne=n||t==1?pe:-pe,
z=n||t==-1?-pe:pe;re.forEach(Ie=>{Ie[0]+=ne,Ie[1]+=z}),Q.gaps=re=m.gaps(r,c,i,f,re),Q.clip=es(re,w.ori,x,F,_,A)}return Ee!=0&&(Q.band=Ee==2?[tn(r,c,i,f,$,-1),tn(
r,c,i,f,$,1)]:tn(r,c,i,f,$,Ee)),Q})}function Zi(e,t,n,l,s,r,c=be){if(e.length>1){let i=null;for(let f=0,m=1/0;f<e.length;f++)if(t[f]!==void 0){if(i!=null){let d=Ve(
e[f]-e[i]);d<m&&(m=d,c=Ve(n(e[f],l,s,r)-n(e[i],l,s,r)))}i=f}}return c}function Fu(e){e=e||Al;let t=ce(e.size,[.6,be,1]),n=e.align||0,l=e.gap||0,s=e.radius;s=s==
null?[0,0]:typeof s=="number"?[s,0]:s;let r=se(s),c=1-t[0],i=ce(t[1],be),f=ce(t[2],1),m=ce(e.disp,Al),d=ce(e.each,T=>{}),{fill:g,stroke:w}=m;return(T,M,L,x)=>Dn(
T,M,(F,_,A,S,J,C,Z,Y,X,Q,$)=>{let te=F.pxRound,W=n,K=l*fe,q=i*fe,oe=f*fe,V,at;S.ori==0?[V,at]=r(T,M):[at,V]=r(T,M);let Ee=S.dir*(S.ori==0?1:-1),re=S.ori==0?ls:uo,
pe=S.ori==0?d:(P,ye,We,Wn,xn,Vt,yn)=>{d(P,ye,We,xn,Wn,yn,Vt)},ne=ce(T.bands,lo).find(P=>P.series[0]==M),z=ne!=null?ne.dir:0,Ie=F.fillTo(T,M,F.min,F.max,z),et=te(
Z(Ie,J,$,X)),Te,he,Dt,ht=Q,Ce=te(F.width*fe),Bt=!1,Jt=null,_t=null,ln=null,On=null;g!=null&&(Ce==0||w!=null)&&(Bt=!0,Jt=g.values(T,M,L,x),_t=new Map,new Set(Jt).
forEach(P=>{P!=null&&_t.set(P,new Path2D)}),Ce>0&&(ln=w.values(T,M,L,x),On=new Map,new Set(ln).forEach(P=>{P!=null&&On.set(P,new Path2D)})));let{x0:Fn,size:hl}=m;
if(Fn!=null&&hl!=null){W=1,_=Fn.values(T,M,L,x),Fn.unit==2&&(_=_.map(We=>T.posToVal(Y+We*Q,S.key,!0)));let P=hl.values(T,M,L,x);hl.unit==2?he=P[0]*Q:he=C(P[0],S,
Q,Y)-C(0,S,Q,Y),ht=Zi(_,A,C,S,Q,Y,ht),Dt=ht-he+K}else ht=Zi(_,A,C,S,Q,Y,ht),Dt=ht*c+K,he=ht-Dt;Dt<1&&(Dt=0),Ce>=he/2&&(Ce=0),Dt<5&&(te=ir);let Ll=Dt>0,wn=ht-Dt-
(Ll?Ce:0);he=te(Us(wn,oe,q)),Te=(W==0?he/2:W==Ee?0:he)-W*Ee*((W==0?K/2:0)+(Ll?Ce/2:0));let tt={stroke:null,fill:null,clip:null,band:null,gaps:null,flags:0},In=Bt?
null:new Path2D,Zt=null;if(ne!=null)Zt=T.data[ne.series[1]];else{let{y0:P,y1:ye}=m;P!=null&&ye!=null&&(A=ye.values(T,M,L,x),Zt=P.values(T,M,L,x))}let bn=V*he,ee=at*
he;for(let P=Ee==1?L:x;P>=L&&P<=x;P+=Ee){let ye=A[P];if(ye==null)continue;if(Zt!=null){let ct=Zt[P]??0;if(ye-ct==0)continue;et=Z(ct,J,$,X)}let We=S.distr!=2||m!=
null?_[P]:P,Wn=C(We,S,Q,Y),xn=Z(ce(ye,Ie),J,$,X),Vt=te(Wn-Te),yn=te(ot(xn,et)),dt=te(zt(xn,et)),vt=yn-dt;if(ye!=null){let ct=ye<0?ee:bn,Pt=ye<0?bn:ee;Bt?(Ce>0&&
ln[P]!=null&&re(On.get(ln[P]),Vt,dt+bt(Ce/2),he,ot(0,vt-Ce),ct,Pt),Jt[P]!=null&&re(_t.get(Jt[P]),Vt,dt+bt(Ce/2),he,ot(0,vt-Ce),ct,Pt)):re(In,Vt,dt+bt(Ce/2),he,ot(
0,vt-Ce),ct,Pt),pe(T,M,P,Vt-Ce/2,dt,he+Ce,vt)}}return Ce>0?tt.stroke=Bt?On:In:Bt||(tt._fill=F.width==0?F._fill:F._stroke??F._fill,tt.width=0),tt.fill=Bt?_t:In,tt})}
function Iu(e,t){let n=ce(t?.alignGaps,0);return(l,s,r,c)=>Dn(l,s,(i,f,m,d,g,w,T,M,L,x,F)=>{[r,c]=Jl(m,r,c);let _=i.pxRound,A=V=>_(w(V,d,x,M)),S=V=>_(T(V,g,F,L)),
J,C,Z;d.ori==0?(J=ts,Z=ul,C=Dr):(J=ns,Z=fl,C=Pr);let Y=d.dir*(d.ori==0?1:-1),X=A(f[Y==1?r:c]),Q=X,$=[],te=[];for(let V=Y==1?r:c;V>=r&&V<=c;V+=Y)if(m[V]!=null){let Ee=f[V],
re=A(Ee);$.push(Q=re),te.push(S(m[V]))}let W={stroke:e($,te,J,Z,C,_),fill:null,clip:null,band:null,gaps:null,flags:al},K=W.stroke,[q,oe]=ao(l,s);if(i.fill!=null||
q!=0){let V=W.fill=new Path2D(K),at=i.fillTo(l,s,i.min,i.max,q),Ee=S(at);Z(V,Q,Ee),Z(V,X,Ee)}if(!i.spanGaps){let V=[];V.push(...co(f,m,r,c,Y,A,n)),W.gaps=V=i.gaps(
l,s,r,c,V),W.clip=es(V,d.ori,M,L,x,F)}return oe!=0&&(W.band=oe==2?[tn(l,s,r,c,K,-1),tn(l,s,r,c,K,1)]:tn(l,s,r,c,K,oe)),W})}function Wu(e){return Iu(zu,e)}function zu(e,t,n,l,s,r){
let c=e.length;if(c<2)return null;let i=new Path2D;if(n(i,e[0],t[0]),c==2)l(i,e[1],t[1]);else{let f=Array(c),m=Array(c-1),d=Array(c-1),g=Array(c-1);for(let w=0;w<
c-1;w++)d[w]=t[w+1]-t[w],g[w]=e[w+1]-e[w],m[w]=d[w]/g[w];f[0]=m[0];for(let w=1;w<c-1;w++)m[w]===0||m[w-1]===0||m[w-1]>0!=m[w]>0?f[w]=0:(f[w]=3*(g[w-1]+g[w])/((2*
g[w]+g[w-1])/m[w-1]+(g[w]+2*g[w-1])/m[w]),isFinite(f[w])||(f[w]=0));f[c-1]=m[c-2];for(let w=0;w<c-1;w++)s(i,e[w]+g[w]/3,t[w]+f[w]*g[w]/3,e[w+1]-g[w]/3,t[w+1]-f[w+
1]*g[w]/3,e[w+1],t[w+1])}return i}var js=new Set;function Qi(){for(let e of js)e.syncRect(!0)}cl&&(Ln(yc,sl,Qi),Ln(_c,sl,Qi,!0),Ln(Gl,sl,()=>{Ze.pxRatio=fe}));var Bu=Fr(),
Vu=Rr();function Xi(e,t,n,l){return(l?[e[0],e[1]].concat(e.slice(2)):[e[0]].concat(e.slice(1))).map((r,c)=>Js(r,c,t,n))}function Hu(e,t){return e.map((n,l)=>l==
0?{}:Fe({},t,n))}function Js(e,t,n,l){return Fe({},t==0?n:l,e)}function Ir(e,t,n){return t==null?il:[t,n]}var qu=Ir;function Uu(e,t,n){return t==null?il:Kl(t,n,
to,!0)}function Wr(e,t,n,l){return t==null?il:Zl(t,n,e.scales[l].log,!1)}var Yu=Wr;function zr(e,t,n,l){return t==null?il:eo(t,n,e.scales[l].log,!1)}var Gu=zr;function Ku(e,t,n,l,s){
let r=ot(Li(e),Li(t)),c=t-e,i=Wt(s/l*c,n);do{let f=n[i],m=l*f/c;if(m>=s&&r+(f<5?dn.get(f):0)<=17)return[f,m]}while(++i<n.length);return[0,0]}function er(e){let t,
n;return e=e.replace(/(\d+)px/,(l,s)=>(t=Be((n=+s)*fe))+"px"),[e,t,n]}function ju(e){e.show&&[e.font,e.labelFont].forEach(t=>{let n=xe(t[2]*fe,1);t[0]=t[0].replace(
/[0-9.]+px/,n+"px"),t[1]=n})}function Ze(e,t,n){let l={mode:ce(e.mode,1)},s=l.mode;function r(o,a,u,h){let p=a.valToPct(o);return h+u*(a.dir==-1?1-p:p)}function c(o,a,u,h){
let p=a.valToPct(o);return h+u*(a.dir==-1?p:1-p)}function i(o,a,u,h){return a.ori==0?r(o,a,u,h):c(o,a,u,h)}l.valToPosH=r,l.valToPosV=c;let f=!1;l.status=0;let m=l.
root=Ct(nc);if(e.id!=null&&(m.id=e.id),wt(m,e.class),e.title){let o=Ct(oc,m);o.textContent=e.title}let d=It("canvas"),g=l.ctx=d.getContext("2d"),w=Ct(ic,m);Ln("\
click",w,o=>{o.target===M&&(ve!=Jn||Ae!=Zn)&&Je.click(l,o)},!0);let T=l.under=Ct(rc,w);w.appendChild(d);let M=l.over=Ct(ac,w);e=rl(e);let L=+ce(e.pxAlign,1),x=Ji(
L);(e.plugins||[]).forEach(o=>{o.opts&&(e=o.opts(l,e)||e)});let F=e.ms||.001,_=l.series=s==1?Xi(e.series||[],Hi,Ki,!1):Hu(e.series||[null],Gi),A=l.axes=Xi(e.axes||
[],Vi,Ui,!0),S=l.scales={},J=l.bands=e.bands||[];J.forEach(o=>{o.fill=se(o.fill||null),o.dir=ce(o.dir,-1)});let C=s==2?_[1].facets[0].scale:_[0].scale,Z={axes:Aa,
series:Sa},Y=(e.drawOrder||["axes","series"]).map(o=>Z[o]);function X(o){let a=o.distr==3?u=>en(u>0?u:o.clamp(l,u,o.min,o.max,o.key)):o.distr==4?u=>Fs(u,o.asinh):
o.distr==100?u=>o.fwd(u):u=>u;return u=>{let h=a(u),{_min:p,_max:b}=o,v=b-p;return(h-p)/v}}function Q(o){let a=S[o];if(a==null){let u=(e.scales||Al)[o]||Al;if(u.
from!=null){Q(u.from);let h=Fe({},S[u.from],u,{key:o});h.valToPct=X(h),S[o]=h}else{a=S[o]=Fe({},o==C?Ar:Lu,u),a.key=o;let h=a.time,p=a.range,b=hn(p);if((o!=C||s==
2&&!h)&&(b&&(p[0]==null||p[1]==null)&&(p={min:p[0]==null?Ai:{mode:1,hard:p[0],soft:p[0]},max:p[1]==null?Ai:{mode:1,hard:p[1],soft:p[1]}},b=!1),!b&&Xl(p))){let v=p;
p=(k,E,N)=>E==null?il:Kl(E,N,v)}a.range=se(p||(h?qu:o==C?a.distr==3?Yu:a.distr==4?Gu:Ir:a.distr==3?Wr:a.distr==4?zr:Uu)),a.auto=se(b?!1:a.auto),a.clamp=se(a.clamp||
Cu),a._min=a._max=null,a.valToPct=X(a)}}}Q("x"),Q("y"),s==1&&_.forEach(o=>{Q(o.scale)}),A.forEach(o=>{Q(o.scale)});for(let o in e.scales)Q(o);let $=S[C],te=$.distr,
W,K;$.ori==0?(wt(m,lc),W=r,K=c):(wt(m,sc),W=c,K=r);let q={};for(let o in S){let a=S[o];(a.min!=null||a.max!=null)&&(q[o]={min:a.min,max:a.max},a.min=a.max=null)}
let oe=e.tzDate||(o=>new Date(Be(o/F))),V=e.fmtDate||so,at=F==1?lu(oe):iu(oe),Ee=Wi(oe,Ii(F==1?nu:ou,V)),re=Bi(oe,zi(au,V)),pe=[],ne=l.legend=Fe({},fu,e.legend),
z=l.cursor=Fe({},wu,{drag:{y:s==2}},e.cursor),Ie=ne.show,et=z.show,Te=ne.markers;ne.idxs=pe,Te.width=se(Te.width),Te.dash=se(Te.dash),Te.stroke=se(Te.stroke),Te.
fill=se(Te.fill);let he,Dt,ht,Ce=[],Bt=[],Jt,_t=!1,ln={};if(ne.live){let o=_[1]?_[1].values:null;_t=o!=null,Jt=_t?o(l,1,0):{_:0};for(let a in Jt)ln[a]=Qs}if(Ie)
if(he=It("table",mc,m),ht=It("tbody",null,he),ne.mount(l,he),_t){Dt=It("thead",null,he,ht);let o=It("tr",null,Dt);It("th",null,o);for(var On in Jt)It("th",pi,o).
textContent=On}else wt(he,gc),ne.live&&wt(he,pc);let Fn={show:!0},hl={show:!1};function Ll(o,a){if(a==0&&(_t||!ne.live||s==2))return il;let u=[],h=It("tr",wc,ht,
ht.childNodes[a]);wt(h,o.class),o.show||wt(h,Cn);let p=It("th",null,h);if(Te.show){let k=Ct(bc,p);if(a>0){let E=Te.width(l,a);E&&(k.style.border=E+"px "+Te.dash(
l,a)+" "+Te.stroke(l,a)),k.style.background=Te.fill(l,a)}}let b=Ct(pi,p);o.label instanceof HTMLElement?b.appendChild(o.label):b.textContent=o.label,a>0&&(Te.show||
(b.style.color=o.width>0?Te.stroke(l,a):Te.fill(l,a)),tt("click",p,k=>{if(z._lock)return;vn(k);let E=_.indexOf(o);if((k.ctrlKey||k.metaKey)!=ne.isolate){let N=_.
some((D,O)=>O>0&&O!=E&&D.show);_.forEach((D,O)=>{O>0&&qt(O,N?O==E?Fn:hl:Fn,!0,Re.setSeries)})}else qt(E,{show:!o.show},!0,Re.setSeries)},!1),Bn&&tt(xi,p,k=>{z._lock||
(vn(k),qt(_.indexOf(o),Xn,!0,Re.setSeries))},!1));for(var v in Jt){let k=It("td",xc,h);k.textContent="--",u.push(k)}return[h,u]}let wn=new Map;function tt(o,a,u,h=!0){
let p=wn.get(a)||{},b=z.bind[o](l,a,u,h);b&&(Ln(o,a,p[o]=b),wn.set(a,p))}function In(o,a,u){let h=wn.get(a)||{};for(let p in h)(o==null||p==o)&&(qs(p,a,h[p]),delete h[p]);
o==null&&wn.delete(a)}let Zt=0,bn=0,ee=0,P=0,ye=0,We=0,Wn=ye,xn=We,Vt=ee,yn=P,dt=0,vt=0,ct=0,Pt=0;l.bbox={};let as=!1,Nl=!1,zn=!1,_n=!1,Dl=!1,St=!1;function cs(o,a,u){
(u||o!=l.width||a!=l.height)&&So(o,a),Yn(!1),zn=!0,Nl=!0,Gn()}function So(o,a){l.width=Zt=ee=o,l.height=bn=P=a,ye=We=0,ga(),wa();let u=l.bbox;dt=u.left=An(ye*fe,
.5),vt=u.top=An(We*fe,.5),ct=u.width=An(ee*fe,.5),Pt=u.height=An(P*fe,.5)}let da=3;function ma(){let o=!1,a=0;for(;!o;){a++;let u=Ea(a),h=Ta(a);o=a==da||u&&h,o||
(So(l.width,l.height),Nl=!0)}}function pa({width:o,height:a}){cs(o,a)}l.setSize=pa;function ga(){let o=!1,a=!1,u=!1,h=!1;A.forEach((p,b)=>{if(p.show&&p._show){let{
side:v,_size:k}=p,E=v%2,N=p.label!=null?p.labelSize:0,D=k+N;D>0&&(E?(ee-=D,v==3?(ye+=D,h=!0):u=!0):(P-=D,v==0?(We+=D,o=!0):a=!0))}}),Sn[0]=o,Sn[1]=u,Sn[2]=a,Sn[3]=
h,ee-=sn[1]+sn[3],ye+=sn[3],P-=sn[2]+sn[0],We+=sn[0]}function wa(){let o=ye+ee,a=We+P,u=ye,h=We;function p(b,v){switch(b){case 1:return o+=v,o-v;case 2:return a+=
v,a-v;case 3:return u-=v,u+v;case 0:return h-=v,h+v}}A.forEach((b,v)=>{if(b.show&&b._show){let k=b.side;b._pos=p(k,b._size),b.label!=null&&(b._lpos=p(k,b.labelSize))}})}
if(z.dataIdx==null){let o=z.hover,a=o.skip=new Set(o.skip??[]);a.add(void 0);let u=o.prox=se(o.prox),h=o.bias??=0;z.dataIdx=(p,b,v,k)=>{if(b==0)return v;let E=v,
N=u(p,b,v,k)??be,D=N>=0&&N<be,O=$.ori==0?ee:P,j=z.left,ue=t[0],ae=t[b];if(a.has(ae[v])){E=null;let le=null,U=null,B;if(h==0||h==-1)for(B=v;le==null&&B-- >0;)a.has(
ae[B])||(le=B);if(h==0||h==1)for(B=v;U==null&&B++<ae.length;)a.has(ae[B])||(U=B);if(le!=null||U!=null)if(D){let ke=le==null?-1/0:W(ue[le],$,O,0),Le=U==null?1/0:
W(ue[U],$,O,0),Ke=j-ke,ge=Le-j;Ke<=ge?Ke<=N&&(E=le):ge<=N&&(E=U)}else E=U==null?le:le==null?U:v-le<=U-v?le:U}else D&&Ve(j-W(ue[v],$,O,0))>N&&(E=null);return E}}
let vn=o=>{z.event=o};z.idxs=pe,z._lock=!1;let Qe=z.points;Qe.show=se(Qe.show),Qe.size=se(Qe.size),Qe.stroke=se(Qe.stroke),Qe.width=se(Qe.width),Qe.fill=se(Qe.fill);
let Ht=l.focus=Fe({},e.focus||{alpha:.3},z.focus),Bn=Ht.prox>=0,Vn=Bn&&Qe.one,kt=[],Hn=[],qn=[];function ko(o,a){let u=Qe.show(l,a);if(u instanceof HTMLElement)
return wt(u,dc),wt(u,o.class),jt(u,-10,-10,ee,P),M.insertBefore(u,kt[a]),u}function Mo(o,a){if(s==1||a>0){let u=s==1&&S[o.scale].time,h=o.value;o.value=u?Pi(h)?
Bi(oe,zi(h,V)):h||re:h||Tu,o.label=o.label||(u?xu:bu)}if(Vn||a>0){o.width=o.width==null?1:o.width,o.paths=o.paths||Bu||Lc,o.fillTo=se(o.fillTo||Nu),o.pxAlign=+ce(
o.pxAlign,L),o.pxRound=Ji(o.pxAlign),o.stroke=se(o.stroke||null),o.fill=se(o.fill||null),o._stroke=o._fill=o._paths=o._focus=null;let u=Au(ot(1,o.width),1),h=o.
points=Fe({},{size:u,width:ot(1,u*.2),stroke:o.stroke,space:u*2,paths:Vu,_stroke:null,_fill:null},o.points);h.show=se(h.show),h.filter=se(h.filter),h.fill=se(h.
fill),h.stroke=se(h.stroke),h.paths=se(h.paths),h.pxAlign=o.pxAlign}if(Ie){let u=Ll(o,a);Ce.splice(a,0,u[0]),Bt.splice(a,0,u[1]),ne.values.push(null)}if(et){pe.
splice(a,0,null);let u=null;Vn?a==0&&(u=ko(o,a)):a>0&&(u=ko(o,a)),kt.splice(a,0,u),Hn.splice(a,0,0),qn.splice(a,0,0)}Ge("addSeries",a)}function ba(o,a){a=a??_.length,
o=s==1?Js(o,a,Hi,Ki):Js(o,a,{},Gi),_.splice(a,0,o),Mo(_[a],a)}l.addSeries=ba;function xa(o){if(_.splice(o,1),Ie){ne.values.splice(o,1),Bt.splice(o,1);let a=Ce.splice(
o,1)[0];In(null,a.firstChild),a.remove()}et&&(pe.splice(o,1),kt.splice(o,1)[0].remove(),Hn.splice(o,1),qn.splice(o,1)),Ge("delSeries",o)}l.delSeries=xa;let Sn=[
!1,!1,!1,!1];function ya(o,a){if(o._show=o.show,o.show){let u=o.side%2,h=S[o.scale];h==null&&(o.scale=u?_[1].scale:C,h=S[o.scale]);let p=h.time;o.size=se(o.size),
o.space=se(o.space),o.rotate=se(o.rotate),hn(o.incrs)&&o.incrs.forEach(v=>{!dn.has(v)&&dn.set(v,cr(v))}),o.incrs=se(o.incrs||(h.distr==2?Xc:p?F==1?tu:su:$n)),o.
splits=se(o.splits||(p&&h.distr==1?at:h.distr==3?Ys:h.distr==4?vu:_u)),o.stroke=se(o.stroke),o.grid.stroke=se(o.grid.stroke),o.ticks.stroke=se(o.ticks.stroke),o.
border.stroke=se(o.border.stroke);let b=o.values;o.values=hn(b)&&!hn(b[0])?se(b):p?hn(b)?Wi(oe,Ii(b,V)):Pi(b)?ru(oe,b):b||Ee:b||yu,o.filter=se(o.filter||(h.distr>=
3&&h.log==10?Mu:h.distr==3&&h.log==2?Eu:rr)),o.font=er(o.font),o.labelFont=er(o.labelFont),o._size=o.size(l,null,a,0),o._space=o._rotate=o._incrs=o._found=o._splits=
o._values=null,o._size>0&&(Sn[a]=!0,o._el=Ct(cc,w))}}function dl(o,a,u,h){let[p,b,v,k]=u,E=a%2,N=0;return E==0&&(k||b)&&(N=a==0&&!p||a==2&&!v?Be(Vi.size/3):0),E==
1&&(p||v)&&(N=a==1&&!b||a==3&&!k?Be(Ui.size/2):0),N}let Eo=l.padding=(e.padding||[dl,dl,dl,dl]).map(o=>se(ce(o,dl))),sn=l._padding=Eo.map((o,a)=>o(l,a,Sn,0)),je,
He=null,qe=null,Pl=s==1?_[0].idxs:null,Rt=null,ml=!1;function To(o,a){if(t=o??[],l.data=l._data=t,s==2){je=0;for(let u=1;u<_.length;u++)je+=t[u][0].length}else{
t.length==0&&(l.data=l._data=t=[[]]),Rt=t[0],je=Rt.length;let u=t;if(te==2){u=t.slice();let h=u[0]=Array(je);for(let p=0;p<je;p++)h[p]=p}l._data=t=u}if(Yn(!0),Ge(
"setData"),te==2&&(zn=!0),a!==!1){let u=$;u.auto(l,ml)?us():rn(C,u.min,u.max),_n=_n||z.left>=0,St=!0,Gn()}}l.setData=To;function us(){ml=!0;let o,a;s==1&&(je>0?
(He=Pl[0]=0,qe=Pl[1]=je-1,o=t[0][He],a=t[0][qe],te==2?(o=He,a=qe):o==a&&(te==3?[o,a]=Zl(o,o,$.log,!1):te==4?[o,a]=eo(o,o,$.log,!1):$.time?a=o+Be(86400/F):[o,a]=
Kl(o,a,to,!0))):(He=Pl[0]=o=null,qe=Pl[1]=a=null)),rn(C,o,a)}let Rl,Un,fs,hs,ds,ms,ps,gs,ws,ut;function Ao(o,a,u,h,p,b){o??=wi,u??=lo,h??="butt",p??=wi,b??="rou\
nd",o!=Rl&&(g.strokeStyle=Rl=o),p!=Un&&(g.fillStyle=Un=p),a!=fs&&(g.lineWidth=fs=a),b!=ds&&(g.lineJoin=ds=b),h!=ms&&(g.lineCap=ms=h),u!=hs&&g.setLineDash(hs=u)}
function $o(o,a,u,h){a!=Un&&(g.fillStyle=Un=a),o!=ps&&(g.font=ps=o),u!=gs&&(g.textAlign=gs=u),h!=ws&&(g.textBaseline=ws=h)}function bs(o,a,u,h,p=0){if(h.length>
0&&o.auto(l,ml)&&(a==null||a.min==null)){let b=ce(He,0),v=ce(qe,h.length-1),k=u.min==null?Mc(h,b,v,p,o.distr==3):[u.min,u.max];o.min=zt(o.min,u.min=k[0]),o.max=
ot(o.max,u.max=k[1])}}let Co={min:null,max:null};function _a(){for(let h in S){let p=S[h];q[h]==null&&(p.min==null||q[C]!=null&&p.auto(l,ml))&&(q[h]=Co)}for(let h in S){
let p=S[h];q[h]==null&&p.from!=null&&q[p.from]!=null&&(q[h]=Co)}q[C]!=null&&Yn(!0);let o={};for(let h in q){let p=q[h];if(p!=null){let b=o[h]=rl(S[h],Pc);if(p.min!=
null)Fe(b,p);else if(h!=C||s==2)if(je==0&&b.from==null){let v=b.range(l,null,null,h);b.min=v[0],b.max=v[1]}else b.min=be,b.max=-be}}if(je>0){_.forEach((h,p)=>{if(s==
1){let b=h.scale,v=q[b];if(v==null)return;let k=o[b];if(p==0){let E=k.range(l,k.min,k.max,b);k.min=E[0],k.max=E[1],He=Wt(k.min,t[0]),qe=Wt(k.max,t[0]),qe-He>1&&
(t[0][He]<k.min&&He++,t[0][qe]>k.max&&qe--),h.min=Rt[He],h.max=Rt[qe]}else h.show&&h.auto&&bs(k,v,h,t[p],h.sorted);h.idxs[0]=He,h.idxs[1]=qe}else if(p>0&&h.show&&
h.auto){let[b,v]=h.facets,k=b.scale,E=v.scale,[N,D]=t[p],O=o[k],j=o[E];O!=null&&bs(O,q[k],b,N,b.sorted),j!=null&&bs(j,q[E],v,D,v.sorted),h.min=v.min,h.max=v.max}});
for(let h in o){let p=o[h],b=q[h];if(p.from==null&&(b==null||b.min==null)){let v=p.range(l,p.min==be?null:p.min,p.max==-be?null:p.max,h);p.min=v[0],p.max=v[1]}}}
for(let h in o){let p=o[h];if(p.from!=null){let b=o[p.from];if(b.min==null)p.min=p.max=null;else{let v=p.range(l,b.min,b.max,h);p.min=v[0],p.max=v[1]}}}let a={},
u=!1;for(let h in o){let p=o[h],b=S[h];if(b.min!=p.min||b.max!=p.max){b.min=p.min,b.max=p.max;let v=b.distr;b._min=v==3?en(b.min):v==4?Fs(b.min,b.asinh):v==100?
b.fwd(b.min):b.min,b._max=v==3?en(b.max):v==4?Fs(b.max,b.asinh):v==100?b.fwd(b.max):b.max,a[h]=u=!0}}if(u){_.forEach((h,p)=>{s==2?p>0&&a.y&&(h._paths=null):a[h.
scale]&&(h._paths=null)});for(let h in a)zn=!0,Ge("setScale",h);et&&z.left>=0&&(_n=St=!0)}for(let h in q)q[h]=null}function va(o){let a=Us(He-1,0,je-1),u=Us(qe+
1,0,je-1);for(;o[a]==null&&a>0;)a--;for(;o[u]==null&&u<je-1;)u++;return[a,u]}function Sa(){if(je>0){let o=_.some(a=>a._focus)&&ut!=Ht.alpha;o&&(g.globalAlpha=ut=
Ht.alpha),_.forEach((a,u)=>{if(u>0&&a.show&&(Lo(u,!1),Lo(u,!0),a._paths==null)){let h=ut;ut!=a.alpha&&(g.globalAlpha=ut=a.alpha);let p=s==2?[0,t[u][0].length-1]:
va(t[u]);a._paths=a.paths(l,u,p[0],p[1]),ut!=h&&(g.globalAlpha=ut=h)}}),_.forEach((a,u)=>{if(u>0&&a.show){let h=ut;ut!=a.alpha&&(g.globalAlpha=ut=a.alpha),a._paths!=
null&&No(u,!1);{let p=a._paths!=null?a._paths.gaps:null,b=a.points.show(l,u,He,qe,p),v=a.points.filter(l,u,b,p);(b||v)&&(a.points._paths=a.points.paths(l,u,He,qe,
v),No(u,!0))}ut!=h&&(g.globalAlpha=ut=h),Ge("drawSeries",u)}}),o&&(g.globalAlpha=ut=1)}}function Lo(o,a){let u=a?_[o].points:_[o];u._stroke=u.stroke(l,o),u._fill=
u.fill(l,o)}function No(o,a){let u=a?_[o].points:_[o],{stroke:h,fill:p,clip:b,flags:v,_stroke:k=u._stroke,_fill:E=u._fill,_width:N=u.width}=u._paths;N=xe(N*fe,3);
let D=null,O=N%2/2;a&&E==null&&(E=N>0?"#fff":k);let j=u.pxAlign==1&&O>0;if(j&&g.translate(O,O),!a){let ue=dt-N/2,ae=vt-N/2,le=ct+N,U=Pt+N;D=new Path2D,D.rect(ue,
ae,le,U)}a?xs(k,N,u.dash,u.cap,E,h,p,v,b):ka(o,k,N,u.dash,u.cap,E,h,p,v,D,b),j&&g.translate(-O,-O)}function ka(o,a,u,h,p,b,v,k,E,N,D){let O=!1;E!=0&&J.forEach((j,ue)=>{
if(j.series[0]==o){let ae=_[j.series[1]],le=t[j.series[1]],U=(ae._paths||Al).band;hn(U)&&(U=j.dir==1?U[0]:U[1]);let B,ke=null;ae.show&&U&&Tc(le,He,qe)?(ke=j.fill(
l,ue)||b,B=ae._paths.clip):U=null,xs(a,u,h,p,ke,v,k,E,N,D,B,U),O=!0}}),O||xs(a,u,h,p,b,v,k,E,N,D)}let Do=al|Ks;function xs(o,a,u,h,p,b,v,k,E,N,D,O){Ao(o,a,u,h,p),
(E||N||O)&&(g.save(),E&&g.clip(E),N&&g.clip(N)),O?(k&Do)==Do?(g.clip(O),D&&g.clip(D),Fl(p,v),Ol(o,b,a)):k&Ks?(Fl(p,v),g.clip(O),Ol(o,b,a)):k&al&&(g.save(),g.clip(
O),D&&g.clip(D),Fl(p,v),g.restore(),Ol(o,b,a)):(Fl(p,v),Ol(o,b,a)),(E||N||O)&&g.restore()}function Ol(o,a,u){u>0&&(a instanceof Map?a.forEach((h,p)=>{g.strokeStyle=
Rl=p,g.stroke(h)}):a!=null&&o&&g.stroke(a))}function Fl(o,a){a instanceof Map?a.forEach((u,h)=>{g.fillStyle=Un=h,g.fill(u)}):a!=null&&o&&g.fill(a)}function Ma(o,a,u,h){
let p=A[o],b;if(h<=0)b=[0,0];else{let v=p._space=p.space(l,o,a,u,h),k=p._incrs=p.incrs(l,o,a,u,h,v);b=Ku(a,u,k,h,v)}return p._found=b}function ys(o,a,u,h,p,b,v,k,E,N){
let D=v%2/2;L==1&&g.translate(D,D),Ao(k,v,E,N,k),g.beginPath();let O,j,ue,ae,le=p+(h==0||h==3?-b:b);u==0?(j=p,ae=le):(O=p,ue=le);for(let U=0;U<o.length;U++)a[U]!=
null&&(u==0?O=ue=o[U]:j=ae=o[U],g.moveTo(O,j),g.lineTo(ue,ae));g.stroke(),L==1&&g.translate(-D,-D)}function Ea(o){let a=!0;return A.forEach((u,h)=>{if(!u.show)return;
let p=S[u.scale];if(p.min==null){u._show&&(a=!1,u._show=!1,Yn(!1));return}else u._show||(a=!1,u._show=!0,Yn(!1));let b=u.side,v=b%2,{min:k,max:E}=p,[N,D]=Ma(h,k,
E,v==0?ee:P);if(D==0)return;let O=p.distr==2,j=u._splits=u.splits(l,h,k,E,N,D,O),ue=p.distr==2?j.map(B=>Rt[B]):j,ae=p.distr==2?Rt[j[1]]-Rt[j[0]]:N,le=u._values=
u.values(l,u.filter(l,ue,h,D,ae),h,D,ae);u._rotate=b==2?u.rotate(l,le,h,D):0;let U=u._size;u._size=Lt(u.size(l,le,h,o)),U!=null&&u._size!=U&&(a=!1)}),a}function Ta(o){
let a=!0;return Eo.forEach((u,h)=>{let p=u(l,h,Sn,o);p!=sn[h]&&(a=!1),sn[h]=p}),a}function Aa(){for(let o=0;o<A.length;o++){let a=A[o];if(!a.show||!a._show)continue;
let u=a.side,h=u%2,p,b,v=a.stroke(l,o),k=u==0||u==3?-1:1,[E,N]=a._found;if(a.label!=null){let lt=a.labelGap*k,gt=Be((a._lpos+lt)*fe);$o(a.labelFont[0],v,"center",
u==2?"top":gi),g.save(),h==1?(p=b=0,g.translate(gt,Be(vt+Pt/2)),g.rotate((u==3?-Yl:Yl)/2)):(p=Be(dt+ct/2),b=gt);let En=or(a.label)?a.label(l,o,E,N):a.label;g.fillText(
En,p,b),g.restore()}if(N==0)continue;let D=S[a.scale],O=h==0?ct:Pt,j=h==0?dt:vt,ue=a._splits,ae=D.distr==2?ue.map(lt=>Rt[lt]):ue,le=D.distr==2?Rt[ue[1]]-Rt[ue[0]]:
E,U=a.ticks,B=a.border,ke=U.show?U.size:0,Le=Be(ke*fe),Ke=Be((a.alignTo==2?a._size-ke-a.gap:a.gap)*fe),ge=a._rotate*-Yl/180,Ne=x(a._pos*fe),mt=(Le+Ke)*k,nt=Ne+mt;
b=h==0?nt:0,p=h==1?nt:0;let Mt=a.font[0],Ot=a.align==1?nl:a.align==2?Ps:ge>0?nl:ge<0?Ps:h==0?"center":u==3?Ps:nl,Yt=ge||h==1?"middle":u==2?"top":gi;$o(Mt,v,Ot,Yt);
let pt=a.font[1]*a.lineGap,Et=ue.map(lt=>x(i(lt,D,O,j))),Ft=a._values;for(let lt=0;lt<Ft.length;lt++){let gt=Ft[lt];if(gt!=null){h==0?p=Et[lt]:b=Et[lt],gt=""+gt;
let En=gt.indexOf(`
`)==-1?[gt]:gt.split(/\n/gm);for(let st=0;st<En.length;st++){let Qo=En[st];ge?(g.save(),g.translate(p,b+st*pt),g.rotate(ge),g.fillText(Qo,0,0),g.restore()):g.fillText(
Qo,p,b+st*pt)}}}U.show&&ys(Et,U.filter(l,ae,o,N,le),h,u,Ne,Le,xe(U.width*fe,3),U.stroke(l,o),U.dash,U.cap);let Gt=a.grid;Gt.show&&ys(Et,Gt.filter(l,ae,o,N,le),h,
h==0?2:1,h==0?vt:dt,h==0?Pt:ct,xe(Gt.width*fe,3),Gt.stroke(l,o),Gt.dash,Gt.cap),B.show&&ys([Ne],[1],h==0?1:0,h==0?1:2,h==1?vt:dt,h==1?Pt:ct,xe(B.width*fe,3),B.stroke(
l,o),B.dash,B.cap)}Ge("drawAxes")}function Yn(o){_.forEach((a,u)=>{u>0&&(a._paths=null,o&&(s==1?(a.min=null,a.max=null):a.facets.forEach(h=>{h.min=null,h.max=null})))})}
let Il=!1,_s=!1,pl=[];function $a(){_s=!1;for(let o=0;o<pl.length;o++)Ge(...pl[o]);pl.length=0}function Gn(){Il||(Bc(Po),Il=!0)}function Ca(o,a=!1){Il=!0,_s=a,o(
l),Po(),a&&pl.length>0&&queueMicrotask($a)}l.batch=Ca;function Po(){if(as&&(_a(),as=!1),zn&&(ma(),zn=!1),Nl){if(Me(T,nl,ye),Me(T,"top",We),Me(T,kl,ee),Me(T,Ml,P),
Me(M,nl,ye),Me(M,"top",We),Me(M,kl,ee),Me(M,Ml,P),Me(w,kl,Zt),Me(w,Ml,bn),d.width=Be(Zt*fe),d.height=Be(bn*fe),A.forEach(({_el:o,_show:a,_size:u,_pos:h,side:p})=>{
if(o!=null)if(a){let b=p===3||p===0?u:0,v=p%2==1;Me(o,v?"left":"top",h-b),Me(o,v?"width":"height",u),Me(o,v?"top":"left",v?We:ye),Me(o,v?"height":"width",v?P:ee),
Hs(o,Cn)}else wt(o,Cn)}),Rl=Un=fs=ds=ms=ps=gs=ws=hs=null,ut=1,bl(!0),ye!=Wn||We!=xn||ee!=Vt||P!=yn){Yn(!1);let o=ee/Vt,a=P/yn;if(et&&!_n&&z.left>=0){z.left*=o,z.
top*=a,Kn&&jt(Kn,Be(z.left),0,ee,P),jn&&jt(jn,0,Be(z.top),ee,P);for(let u=0;u<kt.length;u++){let h=kt[u];h!=null&&(Hn[u]*=o,qn[u]*=a,jt(h,Lt(Hn[u]),Lt(qn[u]),ee,
P))}}if(Se.show&&!Dl&&Se.left>=0&&Se.width>0){Se.left*=o,Se.width*=o,Se.top*=a,Se.height*=a;for(let u in Ts)Me(Qn,u,Se[u])}Wn=ye,xn=We,Vt=ee,yn=P}Ge("setSize"),
Nl=!1}Zt>0&&bn>0&&(g.clearRect(0,0,d.width,d.height),Ge("drawClear"),Y.forEach(o=>o()),Ge("draw")),Se.show&&Dl&&(Wl(Se),Dl=!1),et&&_n&&(Mn(null,!0,!1),_n=!1),ne.
show&&ne.live&&St&&(Ms(),St=!1),f||(f=!0,l.status=1,Ge("ready")),ml=!1,Il=!1}l.redraw=(o,a)=>{zn=a||!1,o!==!1?rn(C,$.min,$.max):Gn()};function vs(o,a){let u=S[o];
if(u.from==null){if(je==0){let h=u.range(l,a.min,a.max,o);a.min=h[0],a.max=h[1]}if(a.min>a.max){let h=a.min;a.min=a.max,a.max=h}if(je>1&&a.min!=null&&a.max!=null&&
a.max-a.min<1e-16)return;o==C&&u.distr==2&&je>0&&(a.min=Wt(a.min,t[0]),a.max=Wt(a.max,t[0]),a.min==a.max&&a.max++),q[o]=a,as=!0,Gn()}}l.setScale=vs;let Ss,ks,Kn,
jn,Ro,Oo,Jn,Zn,Fo,Io,ve,Ae,on=!1,Je=z.drag,Ue=Je.x,Ye=Je.y;et&&(z.x&&(Ss=Ct(fc,M)),z.y&&(ks=Ct(hc,M)),$.ori==0?(Kn=Ss,jn=ks):(Kn=ks,jn=Ss),ve=z.left,Ae=z.top);let Se=l.
select=Fe({show:!0,over:!0,left:0,width:0,top:0,height:0},e.select),Qn=Se.show?Ct(uc,Se.over?M:T):null;function Wl(o,a){if(Se.show){for(let u in o)Se[u]=o[u],u in
Ts&&Me(Qn,u,o[u]);a!==!1&&Ge("setSelect")}}l.setSelect=Wl;function La(o){if(_[o].show)Ie&&Hs(Ce[o],Cn);else if(Ie&&wt(Ce[o],Cn),et){let u=Vn?kt[0]:kt[o];u!=null&&
jt(u,-10,-10,ee,P)}}function rn(o,a,u){vs(o,{min:a,max:u})}function qt(o,a,u,h){a.focus!=null&&Oa(o),a.show!=null&&_.forEach((p,b)=>{b>0&&(o==b||o==null)&&(p.show=
a.show,La(b),s==2?(rn(p.facets[0].scale,null,null),rn(p.facets[1].scale,null,null)):rn(p.scale,null,null),Gn())}),u!==!1&&Ge("setSeries",o,a),h&&xl("setSeries",
l,o,a)}l.setSeries=qt;function Na(o,a){Fe(J[o],a)}function Da(o,a){o.fill=se(o.fill||null),o.dir=ce(o.dir,-1),a=a??J.length,J.splice(a,0,o)}function Pa(o){o==null?
J.length=0:J.splice(o,1)}l.addBand=Da,l.setBand=Na,l.delBand=Pa;function Ra(o,a){_[o].alpha=a,et&&kt[o]!=null&&(kt[o].style.opacity=a),Ie&&Ce[o]&&(Ce[o].style.opacity=
a)}let Qt,an,kn,Xn={focus:!0};function Oa(o){if(o!=kn){let a=o==null,u=Ht.alpha!=1;_.forEach((h,p)=>{if(s==1||p>0){let b=a||p==0||p==o;h._focus=a?null:b,u&&Ra(p,
b?1:Ht.alpha)}}),kn=o,u&&Gn()}}Ie&&Bn&&tt(yi,he,o=>{z._lock||(vn(o),kn!=null&&qt(null,Xn,!0,Re.setSeries))});function Ut(o,a,u){let h=S[a];u&&(o=o/fe-(h.ori==1?
We:ye));let p=ee;h.ori==1&&(p=P,o=p-o),h.dir==-1&&(o=p-o);let b=h._min,v=h._max,k=o/p,E=b+(v-b)*k,N=h.distr;return N==3?ol(10,E):N==4?$c(E,h.asinh):N==100?h.bwd(
E):E}function Fa(o,a){let u=Ut(o,C,a);return Wt(u,t[0],He,qe)}l.valToIdx=o=>Wt(o,t[0]),l.posToIdx=Fa,l.posToVal=Ut,l.valToPos=(o,a,u)=>S[a].ori==0?r(o,S[a],u?ct:
ee,u?dt:0):c(o,S[a],u?Pt:P,u?vt:0),l.setCursor=(o,a,u)=>{ve=o.left,Ae=o.top,Mn(null,a,u)};function Wo(o,a){Me(Qn,nl,Se.left=o),Me(Qn,kl,Se.width=a)}function zo(o,a){
Me(Qn,"top",Se.top=o),Me(Qn,Ml,Se.height=a)}let gl=$.ori==0?Wo:zo,wl=$.ori==1?Wo:zo;function Ia(){if(Ie&&ne.live)for(let o=s==2?1:0;o<_.length;o++){if(o==0&&_t)
continue;let a=ne.values[o],u=0;for(let h in a)Bt[o][u++].firstChild.nodeValue=a[h]}}function Ms(o,a){if(o!=null&&(o.idxs?o.idxs.forEach((u,h)=>{pe[h]=u}):Dc(o.
idx)||pe.fill(o.idx),ne.idx=pe[0]),Ie&&ne.live){for(let u=0;u<_.length;u++)(u>0||s==1&&!_t)&&Wa(u,pe[u]);Ia()}St=!1,a!==!1&&Ge("setLegend")}l.setLegend=Ms;function Wa(o,a){
let u=_[o],h=o==0&&te==2?Rt:t[o],p;_t?p=u.values(l,o,a)??ln:(p=u.value(l,a==null?null:h[a],o,a),p=p==null?ln:{_:p}),ne.values[o]=p}function Mn(o,a,u){Fo=ve,Io=Ae,
[ve,Ae]=z.move(l,ve,Ae),z.left=ve,z.top=Ae,et&&(Kn&&jt(Kn,Be(ve),0,ee,P),jn&&jt(jn,0,Be(Ae),ee,P));let h,p=He>qe;Qt=be,an=null;let b=$.ori==0?ee:P,v=$.ori==1?ee:
P;if(ve<0||je==0||p){h=z.idx=null;for(let k=0;k<_.length;k++){let E=kt[k];E!=null&&jt(E,-10,-10,ee,P)}Bn&&qt(null,Xn,!0,o==null&&Re.setSeries),ne.live&&(pe.fill(
h),St=!0)}else{let k,E,N;s==1&&(k=$.ori==0?ve:Ae,E=Ut(k,C),h=z.idx=Wt(E,t[0],He,qe),N=W(t[0][h],$,b,0));let D=-10,O=-10,j=0,ue=0,ae=!0,le="",U="";for(let B=s==2?
1:0;B<_.length;B++){let ke=_[B],Le=pe[B],Ke=Le==null?null:s==1?t[B][Le]:t[B][1][Le],ge=z.dataIdx(l,B,h,E),Ne=ge==null?null:s==1?t[B][ge]:t[B][1][ge];if(St=St||Ne!=
Ke||ge!=Le,pe[B]=ge,B>0&&ke.show){let mt=ge==null?-10:ge==h?N:W(s==1?t[0][ge]:t[B][0][ge],$,b,0),nt=Ne==null?-10:K(Ne,s==1?S[ke.scale]:S[ke.facets[1].scale],v,0);
if(Bn&&Ne!=null){let Mt=$.ori==1?ve:Ae,Ot=Ve(Ht.dist(l,B,ge,nt,Mt));if(Ot<Qt){let Yt=Ht.bias;if(Yt!=0){let pt=Ut(Mt,ke.scale),Et=Ne>=0?1:-1,Ft=pt>=0?1:-1;Ft==Et&&
(Ft==1?Yt==1?Ne>=pt:Ne<=pt:Yt==1?Ne<=pt:Ne>=pt)&&(Qt=Ot,an=B)}else Qt=Ot,an=B}}if(St||Vn){let Mt,Ot;$.ori==0?(Mt=mt,Ot=nt):(Mt=nt,Ot=mt);let Yt,pt,Et,Ft,Gt,lt,gt=!0,
En=Qe.bbox;if(En!=null){gt=!1;let st=En(l,B);Et=st.left,Ft=st.top,Yt=st.width,pt=st.height}else Et=Mt,Ft=Ot,Yt=pt=Qe.size(l,B);if(lt=Qe.fill(l,B),Gt=Qe.stroke(l,
B),Vn)B==an&&Qt<=Ht.prox&&(D=Et,O=Ft,j=Yt,ue=pt,ae=gt,le=lt,U=Gt);else{let st=kt[B];st!=null&&(Hn[B]=Et,qn[B]=Ft,Ti(st,Yt,pt,gt),Mi(st,lt,Gt),jt(st,Lt(Et),Lt(Ft),
ee,P))}}}}if(Vn){let B=Ht.prox,ke=kn==null?Qt<=B:Qt>B||an!=kn;if(St||ke){let Le=kt[0];Le!=null&&(Hn[0]=D,qn[0]=O,Ti(Le,j,ue,ae),Mi(Le,le,U),jt(Le,Lt(D),Lt(O),ee,
P))}}}if(Se.show&&on)if(o!=null){let[k,E]=Re.scales,[N,D]=Re.match,[O,j]=o.cursor.sync.scales,ue=o.cursor.drag;if(Ue=ue._x,Ye=ue._y,Ue||Ye){let{left:ae,top:le,width:U,
height:B}=o.select,ke=o.scales[O].ori,Le=o.posToVal,Ke,ge,Ne,mt,nt,Mt=k!=null&&N(k,O),Ot=E!=null&&D(E,j);Mt&&Ue?(ke==0?(Ke=ae,ge=U):(Ke=le,ge=B),Ne=S[k],mt=W(Le(
Ke,O),Ne,b,0),nt=W(Le(Ke+ge,O),Ne,b,0),gl(zt(mt,nt),Ve(nt-mt))):gl(0,b),Ot&&Ye?(ke==1?(Ke=ae,ge=U):(Ke=le,ge=B),Ne=S[E],mt=K(Le(Ke,j),Ne,v,0),nt=K(Le(Ke+ge,j),Ne,
v,0),wl(zt(mt,nt),Ve(nt-mt))):wl(0,v)}else As()}else{let k=Ve(Fo-Ro),E=Ve(Io-Oo);if($.ori==1){let j=k;k=E,E=j}Ue=Je.x&&k>=Je.dist,Ye=Je.y&&E>=Je.dist;let N=Je.uni;
N!=null?Ue&&Ye&&(Ue=k>=N,Ye=E>=N,!Ue&&!Ye&&(E>k?Ye=!0:Ue=!0)):Je.x&&Je.y&&(Ue||Ye)&&(Ue=Ye=!0);let D,O;Ue&&($.ori==0?(D=Jn,O=ve):(D=Zn,O=Ae),gl(zt(D,O),Ve(O-D)),
Ye||wl(0,v)),Ye&&($.ori==1?(D=Jn,O=ve):(D=Zn,O=Ae),wl(zt(D,O),Ve(O-D)),Ue||gl(0,b)),!Ue&&!Ye&&(gl(0,0),wl(0,0))}if(Je._x=Ue,Je._y=Ye,o==null){if(u){if(Zo!=null){
let[k,E]=Re.scales;Re.values[0]=k!=null?Ut($.ori==0?ve:Ae,k):null,Re.values[1]=E!=null?Ut($.ori==1?ve:Ae,E):null}xl(Rs,l,ve,Ae,ee,P,h)}if(Bn){let k=u&&Re.setSeries,
E=Ht.prox;kn==null?Qt<=E&&qt(an,Xn,!0,k):Qt>E?qt(null,Xn,!0,k):an!=kn&&qt(an,Xn,!0,k)}}St&&(ne.idx=h,Ms()),a!==!1&&Ge("setCursor")}let cn=null;Object.defineProperty(
l,"rect",{get(){return cn==null&&bl(!1),cn}});function bl(o=!1){o?cn=null:(cn=M.getBoundingClientRect(),Ge("syncRect",cn))}function Bo(o,a,u,h,p,b,v){z._lock||on&&
o!=null&&o.movementX==0&&o.movementY==0||(Es(o,a,u,h,p,b,v,!1,o!=null),o!=null?Mn(null,!0,!0):Mn(a,!0,!1))}function Es(o,a,u,h,p,b,v,k,E){if(cn==null&&bl(!1),vn(
o),o!=null)u=o.clientX-cn.left,h=o.clientY-cn.top;else{if(u<0||h<0){ve=-10,Ae=-10;return}let[N,D]=Re.scales,O=a.cursor.sync,[j,ue]=O.values,[ae,le]=O.scales,[U,
B]=Re.match,ke=a.axes[0].side%2==1,Le=$.ori==0?ee:P,Ke=$.ori==1?ee:P,ge=ke?b:p,Ne=ke?p:b,mt=ke?h:u,nt=ke?u:h;if(ae!=null?u=U(N,ae)?i(j,S[N],Le,0):-10:u=Le*(mt/ge),
le!=null?h=B(D,le)?i(ue,S[D],Ke,0):-10:h=Ke*(nt/Ne),$.ori==1){let Mt=u;u=h,h=Mt}}E&&(a==null||a.cursor.event.type==Rs)&&((u<=1||u>=ee-1)&&(u=An(u,ee)),(h<=1||h>=
P-1)&&(h=An(h,P))),k?(Ro=u,Oo=h,[Jn,Zn]=z.move(l,u,h)):(ve=u,Ae=h)}let Ts={width:0,height:0,left:0,top:0};function As(){Wl(Ts,!1)}let Vo,Ho,qo,Uo;function Yo(o,a,u,h,p,b,v){
on=!0,Ue=Ye=Je._x=Je._y=!1,Es(o,a,u,h,p,b,v,!0,!1),o!=null&&(tt(Os,Bs,Go,!1),xl(bi,l,Jn,Zn,ee,P,null));let{left:k,top:E,width:N,height:D}=Se;Vo=k,Ho=E,qo=N,Uo=D}
function Go(o,a,u,h,p,b,v){on=Je._x=Je._y=!1,Es(o,a,u,h,p,b,v,!1,!0);let{left:k,top:E,width:N,height:D}=Se,O=N>0||D>0,j=Vo!=k||Ho!=E||qo!=N||Uo!=D;if(O&&j&&Wl(Se),
Je.setScale&&O&&j){let ue=k,ae=N,le=E,U=D;if($.ori==1&&(ue=E,ae=D,le=k,U=N),Ue&&rn(C,Ut(ue,C),Ut(ue+ae,C)),Ye)for(let B in S){let ke=S[B];B!=C&&ke.from==null&&ke.
min!=be&&rn(B,Ut(le+U,B),Ut(le,B))}As()}else z.lock&&(z._lock=!z._lock,Mn(a,!0,o!=null));o!=null&&(In(Os,Bs),xl(Os,l,ve,Ae,ee,P,null))}function za(o,a,u,h,p,b,v){
if(z._lock)return;vn(o);let k=on;if(on){let E=!0,N=!0,D=10,O,j;$.ori==0?(O=Ue,j=Ye):(O=Ye,j=Ue),O&&j&&(E=ve<=D||ve>=ee-D,N=Ae<=D||Ae>=P-D),O&&E&&(ve=ve<Jn?0:ee),
j&&N&&(Ae=Ae<Zn?0:P),Mn(null,!0,!0),on=!1}ve=-10,Ae=-10,pe.fill(null),Mn(null,!0,!0),k&&(on=k)}function Ko(o,a,u,h,p,b,v){z._lock||(vn(o),us(),As(),o!=null&&xl(
_i,l,ve,Ae,ee,P,null))}function jo(){A.forEach(ju),cs(l.width,l.height,!0)}Ln(Gl,sl,jo);let el={};el.mousedown=Yo,el.mousemove=Bo,el.mouseup=Go,el.dblclick=Ko,el.
setSeries=(o,a,u,h)=>{let p=Re.match[2];u=p(l,a,u),u!=-1&&qt(u,h,!0,!1)},et&&(tt(bi,M,Yo),tt(Rs,M,Bo),tt(xi,M,o=>{vn(o),bl(!1)}),tt(yi,M,za),tt(_i,M,Ko),js.add(
l),l.syncRect=bl);let zl=l.hooks=e.hooks||{};function Ge(o,a,u){_s?pl.push([o,a,u]):o in zl&&zl[o].forEach(h=>{h.call(null,l,a,u)})}(e.plugins||[]).forEach(o=>{
for(let a in o.hooks)zl[a]=(zl[a]||[]).concat(o.hooks[a])});let Jo=(o,a,u)=>u,Re=Fe({key:null,setSeries:!1,filters:{pub:Ni,sub:Ni},scales:[C,_[1]?_[1].scale:null],
match:[Di,Di,Jo],values:[null,null]},z.sync);Re.match.length==2&&Re.match.push(Jo),z.sync=Re;let Zo=Re.key,$s=$r(Zo);function xl(o,a,u,h,p,b,v){Re.filters.pub(o,
a,u,h,p,b,v)&&$s.pub(o,a,u,h,p,b,v)}$s.sub(l);function Ba(o,a,u,h,p,b,v){Re.filters.sub(o,a,u,h,p,b,v)&&el[o](null,a,u,h,p,b,v)}l.pub=Ba;function Va(){$s.unsub(
l),js.delete(l),wn.clear(),qs(Gl,sl,jo),m.remove(),he?.remove(),Ge("destroy")}l.destroy=Va;function Cs(){Ge("init",e,t),To(t||e.data,!1),q[C]?vs(C,q[C]):us(),Dl=
Se.show&&(Se.width>0||Se.height>0),_n=St=!0,cs(e.width,e.height)}return _.forEach(Mo),A.forEach(ya),n?n instanceof HTMLElement?(n.appendChild(m),Cs()):n(l,Cs):Cs(),
l}Ze.assign=Fe;Ze.fmtNum=no;Ze.rangeNum=Kl;Ze.rangeLog=Zl;Ze.rangeAsinh=eo;Ze.orient=Dn;Ze.pxRatio=fe;Ze.join=zc;Ze.fmtDate=so,Ze.tzDate=Zc;Ze.sync=$r;{Ze.addGap=
Du,Ze.clipGaps=es;let e=Ze.paths={points:Rr};e.linear=Fr,e.stepped=Ou,e.bars=Fu,e.spline=Wu}var Pe=22,yt=24,mn=null;function fo(){mn=null}function _e(e){return mn||(mn=new Map,mn.style=getComputedStyle(document.documentElement)),mn.has(e)||mn.set(e,mn.
style.getPropertyValue(`--${e}`).trim()||"#888"),mn.get(e)}function Ju(e,t){let n=e/Math.max(2,t/110),l=10**Math.floor(Math.log10(n));for(let s of[1,2,5,10])if(s*
l>=n)return s*l;return 10*l}function Zu(e,t){let[n,l]=[["s",1e9],["ms",1e6],["\xB5s",1e3],["ns",1]].find(([,s])=>Math.abs(e)>=s)??["ns",1];return e===0||e>=12e10?
R(e):`${(e/l).toFixed(Math.max(0,Math.ceil(Math.log10(l/t)-1e-9)))} ${n}`}function Br(e,{from:t,to:n,left:l,width:s,height:r}){let c=Ju(n-t,s);e.fillStyle=_e("q\
uiet"),e.strokeStyle=_e("line"),e.font="11px system-ui, sans-serif",e.textBaseline="middle",e.beginPath();for(let i=Math.ceil(t/c)*c;i<=n;i+=c){let f=Math.round(
l+(i-t)/(n-t)*s)+.5;e.moveTo(f,yt-5),e.lineTo(f,r),f<l+s-40&&e.fillText(Zu(Math.round(i),c),f+3,yt/2)}e.stroke()}function Qu(e,t,{from:n,to:l,left:s,width:r},c){
let i=r/(l-n);for(let f=0;f<t.bins.length;f+=4){let m=t.from+t.bins[f]*t.binNs;if(m>l)break;if(m+t.binNs<n)continue;let d=Math.round(s+Math.max(0,m-n)*i),g=Math.
max(1,Math.round(s+Math.min(l-n,m+t.binNs-n)*i)-d),w=Math.max(3,t.bins[f+2]/1e3*(Pe-6));e.fillStyle=_e(t.ops[t.bins[f+3]].kind),e.fillRect(d,c+Pe-3-w,g,w)}}function Xu(e,t,{
from:n,to:l,left:s,width:r,chosen:c},i){let f=r/(l-n),m=[-1,-1];e.font="11px system-ui, sans-serif",e.textBaseline="middle";for(let d of t.slices){if(d.start>l)
break;let g=d.duration===null?l:d.start+d.duration;if(g<n)continue;let w=s+Math.max(0,(d.start-n)*f),T=s+Math.min(r,(g-n)*f),M=d.depth>0?1:0,L=c===d.seq;if(T-w<
1&&w<m[M]&&!L)continue;let x=Math.max(1,T-w);m[M]=w+x;let F=M?i+3+Math.min(3,d.depth)*4:i+3,_=M?Math.max(3,Pe-6-Math.min(3,d.depth)*4):Pe-6;if(e.globalAlpha=d.duration===
null?.5:1,e.fillStyle=_e(d.op.kind),e.fillRect(w,F,x,_),e.globalAlpha=1,M&&(e.fillStyle=_e("card"),e.fillRect(w,F-1,x,1)),d.failed&&(e.fillStyle=_e("critical"),
e.fillRect(w,i+1,Math.max(2,x),2)),L&&(e.strokeStyle=_e("ink"),e.lineWidth=2,e.strokeRect(w,i+2,x,Pe-4),e.lineWidth=1),x>34&&!M){e.fillStyle=_e("card");let A=Math.
floor((x-6)/6),S=d.op.op;e.fillText(S.length<=A?S:`${S.slice(0,Math.max(1,A-1))}\u2026`,w+3,i+Pe/2)}}}function Vr(e,t,n,l){for(let{line:s,y:r}of t){if(s.lane&&s.
lane.lane===l.lane&&(e.fillStyle=_e("chosen"),e.fillRect(0,r,l.left+l.width,Pe)),s.chains){let i=l.width/(l.to-l.from);for(let f of s.chains){let m=Math.max(l.left,
l.left+(f.from-l.from)*i),d=Math.min(l.left+l.width,l.left+(f.to-l.from)*i);d<l.left||m>l.left+l.width||(e.fillStyle=_e("chain"),e.globalAlpha=f.id===l.chain?.9:
.5,e.fillRect(m,r+4,Math.max(3,d-m),Pe-8),e.globalAlpha=1)}continue}let c=s.lane?n.get(s.lane.lane):null;c&&(Qu(e,c,l,r),Xu(e,c,l,r))}}var Hr=["launch","memcpy","collective","alloc","sync","fabric","graph","p2p","memset","event","module","stream"],ss=e=>_e(Hr[e%Hr.length]),qr=(e,t,n)=>({space:n,
stroke:()=>_e("quiet"),grid:{stroke:()=>_e("line"),width:1},ticks:{stroke:()=>_e("line")},values:e,size:t});function ef(e,t,n,l){let s=null,r=new ResizeObserver(
()=>{let c=e.clientWidth;c&&(s||(s=new Ze({...t,width:c,height:l},n,e),s.root.querySelector("canvas").setAttribute("aria-hidden","true")),s.width!==c&&s.setSize(
{width:c,height:l}),e.plot=s)});return r.observe(e),e.close=()=>{r.disconnect(),s?.destroy()},e}function pn({label:e,times:t,series:n,text:l,timeText:s,height:r=220,
stacked:c=!1,choose:i=null}){let f=y("div",{class:"chart",role:"img","aria-label":`${e}: ${n.map(g=>g.name).join(", ")}`}),m=n.map(g=>g.values);if(c){let g=new Array(
t.length).fill(0);m=m.map(w=>w.map((T,M)=>g[M]+=T??0))}let d=n.map((g,w)=>({label:g.name,stroke:()=>ss(w),width:1.5,points:{show:t.length<3},spanGaps:!0,fill:c?
()=>ss(w):void 0,value:(T,M,L,x)=>x===null?"\u2013":l(n[w].values[x])}));return c&&(d.reverse(),m.reverse()),ef(f,{cursor:{drag:{x:!0,y:!1,setScale:!i}},scales:{
x:{time:!1},y:{range:(g,w,T)=>[Math.min(0,w??0),(T||1)*1.05]}},axes:[qr((g,w)=>w.map(T=>s(T)),30,90),qr((g,w)=>w.map(T=>l(T)),74,35)],series:[{label:"Time",value:(g,w)=>w===
null?"\u2013":s(w)},...d],legend:{live:!0},hooks:i?{setSelect:[g=>{g.select.width>3&&i(g.posToVal(g.select.left,"x"),g.posToVal(g.select.left+g.select.width,"x"))}]}:
{}},[t,...m],r)}var ho=e=>`${e.pid}|${e.stream??""}|${e.phase}`,Ur=e=>e.slow_1_5x+e.slow_2x+e.slow_3x,tf=(e,t)=>t.steps?Kt(e/t.steps):"\u2013",Gr=e=>[e.engine,e.model].filter(Boolean).
join(" "),nf={s:e=>R(e*1e9),bytes:De},lf=e=>e.interval_mean!==null||e.interval_p95!==null||e.unit==="s"&&!e.name.endsWith(".total"),mo=(e,t)=>e==null?"\u2013":nf[t]?.(
e)??Kt(e),sf=[{head:"Workload",text:e=>`${e.process??"?"} ${e.pid}, ${e.phase}`,sort:e=>e.pid},{head:"Serves",text:Gr},{head:"Steps",number:!0,text:e=>H(e.steps),
sort:e=>e.steps},{head:"Slow",number:!0,text:e=>H(Ur(e)),sort:Ur,title:"1.5 times the 95th percentile and more"},{head:"3x",number:!0,text:e=>H(e.slow_3x),sort:e=>e.
slow_3x},{head:"Usual",number:!0,text:e=>R(e.mean_ns),sort:e=>e.mean_ns,title:"Mean of healthy steps"},{head:"p95",number:!0,text:e=>R(e.p95_ns),sort:e=>e.p95_ns,
title:"Of healthy steps"},{head:"Longest",number:!0,text:e=>R(e.max_ns),sort:e=>e.max_ns},{head:"Launches a step",number:!0,text:e=>tf(e.launches+e.graph_launches,
e),title:"Launches of graphs count as one each"},{head:"Copied a step",number:!0,text:e=>e.steps?De(Math.round(e.copied_bytes/e.steps)):"\u2013"},{head:"Idle",number:!0,
text:e=>R(e.idle_ns),sort:e=>e.idle_ns,title:"Pauses that are part of no step"},{head:"Began over",number:!0,text:e=>e.relearned?H(e.relearned):"",title:"Times \
that what is usual changed for good"}];function Yr(e){let[t,n]=[BigInt(e.start_wall_ns),BigInt(e.duration_ns)];return{view:"timeline",from:un(t-n/2n),to:un(t+3n*
n/2n)}}var of=e=>[{head:"At",number:!0,node:t=>y("a",{href:At(Yr(t))},R(Number(BigInt(t.start_wall_ns)-e.origin))),sort:t=>Number(t.start_wall_ns)},{head:"Threa\
d",text:t=>`${t.pid}/${t.tid}`},{head:"Phase",text:t=>t.phase},{head:"Class",text:t=>t.slow,sort:t=>parseFloat(t.slow)},{head:"Took",number:!0,text:t=>R(t.duration_ns),
sort:t=>t.duration_ns},{head:"p95 then",number:!0,text:t=>R(t.baseline_p95_ns)},{head:"Waited",number:!0,text:t=>R(t.wait_ns),sort:t=>t.wait_ns},{head:"Launches",
number:!0,text:t=>H(t.launches+t.graph_launches)},{head:"Cause",node:t=>t.incident?y("a",{href:At({...Yr(t),chosen:{chain:t.incident}})},t.incident):"none found"}];
async function rf(e,t){let n=t.stream===null?"NULL":t.stream,l=tl("timestamp",r=>String(Oe(r))),s=await Tt(`SELECT timestamp - ${e.origin} AS at, duration_ns, b\
aseline_p95_ns FROM inference_steps
    WHERE pid = ${t.pid} AND stream IS ${n} AND phase = '${t.phase.replaceAll("'","''")}' AND ${l} ORDER BY timestamp`,1e4,e.signal);return s.length?pn({label:"\
Steps over time",times:s.map(r=>r.at),text:R,timeText:R,series:[{name:"Step",values:s.map(r=>r.duration_ns)},{name:"Usual, p95",values:s.map(r=>r.baseline_p95_ns)}]}):
null}async function af(e,t){let n=await me("get_inference",ze(),t.signal);if(!n.workloads.length&&!n.engines.length)return e.append(G("Inference",we("No step of\
 inference is known: the recording was made without --inference, or no program served a model."),$e(n))),()=>{};let l=n.workloads.find(r=>ho(r)===I.chosen.workload),
s=null;return l&&(s=await rf(t,l),e.append(G(`${l.process??"?"} ${l.pid}, ${l.phase}`,s??we("It made no step in this part.")))),e.append(G("Workloads, in the wh\
ole recording",n.workloads.length?ie({caption:"Workloads; choose one to see its steps over time",rows:n.workloads,columns:sf,key:ho,chosen:I.chosen.workload??null,
choose:r=>Xe({workload:ho(r)},!1)}):we("No step ended.")),G("Slow steps",n.slow_steps.length?ie({caption:"Slow steps, the worst first",rows:n.slow_steps,columns:of(
t)}):we("No step of this part was slow.")),G("What engines said last",n.engines.length?ie({caption:"Metrics of engines",rows:n.engines,columns:[{head:"Metric",text:r=>r.
name,sort:r=>r.name},{head:"Engine",text:r=>`${Gr(r)} (${r.pid})`},{head:"Value",number:!0,text:r=>lf(r)?`${H(r.value)} times`:mo(r.value,r.unit),title:"Of a hi\
stogram: how often it observed"},{head:"Mean",number:!0,text:r=>mo(r.interval_mean,r.unit),title:"Since the reading before"},{head:"p95",number:!0,text:r=>mo(r.
interval_p95,r.unit),title:"Since the reading before"},{head:"Unit",text:r=>r.unit}]}):we("No engine was found, or none showed its metrics."))),n.cut.length&&e.
append($e(n)),()=>s?.close()}var Kr={name:"inference",title:"Inference",draw:af};var jr=8,Jr=e=>`${e.frames?.find(t=>t.startsWith("[Python]"))??e.frames?.[1]??e.frames?.[0]??e.op} (${e.pid})`;async function cf(e,t){let n=await me("get_memory",
{...ze(),limit:100,bins:300},t.signal),{totals:l,sites:s,over_time:r}=n;if(!s.length)return e.append(G("Memory",we("No call of this part obtained memory."),$e(n))),
()=>{};e.append(G("Memory",$t([["Held at the end",De(l.held_bytes)],["Held at most",De(l.peak_bytes)],["Allocations held",H(l.held_allocations)],["Freed, but ob\
tained before",H(l.frees_of_unseen)],["Of unknown address",l.address_unknown?H(l.address_unknown):null]]),$e(n)));let c=null;if(r){let i=Number(Oe(r.from)-t.origin),
f=r.total_bytes.map((w,T)=>i+T*r.bin_ns),m=r.site_bytes.slice(0,jr),d=m.map((w,T)=>({name:Jr(s[T]),values:w})),g=r.total_bytes.map((w,T)=>Math.max(0,w-m.reduce(
(M,L)=>M+L[T],0)));g.some(w=>w>0)&&d.push({name:"others",values:g}),c=pn({label:"Bytes held by call site",times:f,series:d,stacked:!0,text:De,timeText:R,height:280}),
e.append(G("Held over time, by call site",c,y("p",{class:"quiet"},"The most held in each part; what the program held before the recording is not seen.")))}e.append(
G("Call sites",ie({caption:"Call sites",rows:s.map((i,f)=>({...i,i:f})),columns:[{head:"Where",node:i=>y("span",{},y("i",{class:"dot","data-ink":i.i<jr?i.i:""}),
Jr(i))},{head:"Call",text:i=>i.op,sort:i=>i.op},{head:"Held",number:!0,text:i=>De(i.held_bytes),sort:i=>i.held_bytes},{head:"At most",number:!0,text:i=>De(i.peak_bytes),
sort:i=>i.peak_bytes},{head:"Obtained",number:!0,text:i=>De(i.bytes),sort:i=>i.bytes},{head:"Given back",number:!0,text:i=>De(i.freed_bytes),sort:i=>i.freed_bytes},
{head:"Calls",number:!0,text:i=>H(i.calls),sort:i=>i.calls},{head:"Failed",number:!0,text:i=>i.failed?H(i.failed):"",sort:i=>i.failed}]})));for(let i of e.querySelectorAll(
"[data-ink]"))i.dataset.ink!==""&&(i.style.background=ss(Number(i.dataset.ink)));return()=>c?.close()}var Zr={name:"memory",title:"Memory",draw:cf};var Qr=4;function uf(e,t,n){let[l,s]=[120,18],r=y("canvas",{width:l*2,height:s*2,class:"spark",role:"img","aria-label":e?`most often about ${R(e.from_ns[e.counts.
indexOf(Math.max(...e.counts))])}`:"not known"});if(!e)return r;let c=r.getContext("2d");c.scale(2,2),c.fillStyle=_e(e.kind);let i=Math.max(...e.counts),f=m=>(Math.
log2(Math.max(m,1))-t)/(n-t)*(l-3);return e.from_ns.forEach((m,d)=>{let g=Math.max(1.5,Math.log1p(e.counts[d])/Math.log1p(i)*s);c.fillRect(f(m),s-g,Math.max(2,l/
((n-t)*Qr)-.5),g)}),r}function ff(e,t,n){let l=_=>{let A=2**Math.floor(Math.log2(Math.max(_,1)));return _+Math.max(1,A/16)},[s,r]=[Math.log2(Math.max(e.from_ns[0],
1)),Math.log2(l(e.from_ns.at(-1)))],c=Math.max(...e.counts),i=160,f=y("canvas",{class:"distribution",role:"img","aria-label":`Distribution of ${e.op}`}),m=0,d=null,
g=null,w=_=>(Math.log2(Math.max(_,1))-s)/Math.max(r-s,.01)*m,T=_=>2**(s+_/m*(r-s));function M(){let _=devicePixelRatio||1;m=f.clientWidth,f.width=m*_,f.height=i*
_;let A=f.getContext("2d");A.scale(_,_);let S=g??(t?[w(t[0]),w(t[1])]:null);S&&(A.fillStyle=_e("chosen"),A.fillRect(Math.min(...S),0,Math.abs(S[1]-S[0]),i-18)),
A.fillStyle=_e(e.kind),e.from_ns.forEach((C,Z)=>{let Y=Math.max(2,Math.log1p(e.counts[Z])/Math.log1p(c)*(i-24));A.fillRect(w(C),i-18-Y,Math.max(1,w(l(C))-w(C)-.5),
Y)}),A.fillStyle=_e("quiet"),A.font="11px system-ui, sans-serif";let J=r-s>5?[1]:r-s>2?[1,2,5]:[1,1.5,2,3,4,5,6,7,8,9];for(let C=0,Z=-60;C<12;C++)for(let Y of J){
let X=w(Y*10**C);X<Math.max(0,Z+60)||X>m-40||(A.fillText(R(Y*10**C),X,i-4),Z=X)}}f.addEventListener("pointerdown",_=>{d=_.offsetX,f.setPointerCapture(_.pointerId)}),
f.addEventListener("pointermove",_=>{d!==null&&(g=[d,_.offsetX],M())}),f.addEventListener("pointerup",_=>{let[A,S]=[d,_.offsetX].sort((J,C)=>J-C);d=g=null,n(S-A>
3?[Math.floor(T(Math.max(0,A))),Math.ceil(T(Math.min(m,S)))]:null)});let L=new ResizeObserver(M);L.observe(f);let x=(_,A,S)=>[y("label",{for:_},A),y("input",{id:_,
type:"number",min:"0",step:"any",value:S??""})],F=y("form",{class:"bar"},x("least","From \xB5s",t?t[0]/1e3:null),x("most","to \xB5s",t?t[1]/1e3:null),y("button",
{type:"submit"},"List these calls"),t?y("button",{type:"button",onclick:()=>n(null)},"All"):null);return F.addEventListener("submit",_=>{_.preventDefault();let[
A,S]=[F.querySelector("#least").value,F.querySelector("#most").value];n(A===""&&S===""?null:[Math.floor(Number(A||0)*1e3),Math.ceil(Number(S||1e12)*1e3)])}),{node:y(
"div",{},f,y("p",{class:"quiet"},"Calls by duration, both on logarithmic scales. Drag over a part to list its calls."),F),close:()=>L.disconnect()}}async function hf(e,t,n){
let l=e.origin,s=tl("timestamp",c=>String(Oe(c))),r=await Tt(`SELECT seq, timestamp - ${l} AS start_ns, duration, pid, tid, comm, failed, bytes, kernel FROM eve\
nts
    WHERE call = '${t.call.replaceAll("'","''")}' AND ${s} ${n?`AND duration BETWEEN ${n[0]} AND ${n[1]}`:""}
    ORDER BY duration DESC`,50,e.signal);return r.length?ie({caption:`Calls of ${t.op}, longest first`,rows:r,most:50,columns:[{head:"Took",number:!0,text:c=>R(
c.duration),sort:c=>c.duration},{head:"At",number:!0,node:c=>y("a",{href:At({view:"timeline",from:un(l+BigInt(c.start_ns-Math.max(1e3,c.duration??0))),to:un(l+BigInt(
c.start_ns+2*Math.max(1e3,c.duration??0))),chosen:{call:c.seq}})},R(c.start_ns)),sort:c=>c.start_ns},{head:"Thread",text:c=>`${c.comm??""} ${c.pid}/${c.tid}`},{
head:"Bytes",number:!0,text:c=>De(c.bytes),sort:c=>c.bytes},{head:"Failed",text:c=>c.failed?"yes":""},{head:"Kernel",text:c=>c.kernel??""}]}):we("No call of thi\
s part took so long.")}async function df(e,t){let[n,l]=await Promise.all([me("get_trace_stats",ze(),t.signal),me("get_distributions",{...ze(),per_octave:Qr},t.signal)]),
s=new Map(l.calls.map(x=>[x.call,x])),r=Math.min(10,...l.calls.map(x=>Math.log2(Math.max(x.from_ns[0],1)))),c=Math.max(11,...l.calls.map(x=>Math.log2(x.from_ns.
at(-1))+.5)),i=n.calls.reduce((x,F)=>x+(F.total_ns??0),0),f=[{head:"Call",text:x=>x.op,sort:x=>x.op},{head:"Layer",text:x=>x.layer,sort:x=>x.layer},{head:"Distr\
ibution",node:x=>uf(s.get(x.call),r,c)},{head:"Count",number:!0,text:x=>H(x.count),sort:x=>x.count},{head:"Total",number:!0,text:x=>R(x.total_ns),sort:x=>x.total_ns},
{head:"Share",number:!0,text:x=>x.kind==="host"?"":_l(x.total_ns/i),title:"Of all calls' time; a call made inside another is in both"},{head:"p50",number:!0,text:x=>R(
x.p50_ns),sort:x=>x.p50_ns},{head:"p95",number:!0,text:x=>R(x.p95_ns),sort:x=>x.p95_ns},{head:"p99",number:!0,text:x=>R(x.p99_ns),sort:x=>x.p99_ns},{head:"Longe\
st",number:!0,text:x=>R(x.max_ns),sort:x=>x.max_ns},{head:"Errors",number:!0,text:x=>x.errors?H(x.errors):"",sort:x=>x.errors},{head:"Bytes",number:!0,text:x=>x.
bytes===null?"":De(x.bytes),sort:x=>x.bytes},{head:"Off CPU",number:!0,text:x=>x.off_cpu?_l(Object.values(x.off_cpu).reduce((F,_)=>F+_,0)/x.total_ns):"",title:"\
Part of the time that the calling threads were off the CPU"}],m=I.chosen.op??null,d=x=>Xe({op:x.call,least:null,most:null},!1);e.append(G("Calls",n.calls.length?
ie({caption:"Calls",rows:n.calls,columns:f,sorted:4,choose:d,key:x=>x.call,chosen:m}):we("No call was recorded in this part.")),...n.host.length?[G("What the ho\
st did",ie({caption:"Host events",rows:n.host,columns:f.filter(({head:x})=>x!=="Off CPU"&&x!=="Share"),choose:d,key:x=>x.call,chosen:m}))]:[]);for(let x of[n,l])
x.cut.length&&e.append($e(x));if(!m)return()=>{};let g=await me("get_distributions",{...ze(),op:m,per_octave:16},t.signal),w=g.calls.find(x=>x.call===m)??g.calls[0];
if(!w)return e.prepend(G(m,we("It was not called in this part, or has no durations."))),()=>{};let T=I.chosen.least?[Number(I.chosen.least),Number(I.chosen.most)]:
null,M=ff(w,T,x=>Xe({least:x?.[0]??null,most:x?.[1]??null},!1)),L=[...n.calls,...n.host].find(x=>x.call===w.call);return e.prepend(G(w.op,$t([["Count",H(w.count)],
["p50",R(L?.p50_ns)],["p99",R(L?.p99_ns)],["Longest",R(L?.max_ns)],["Library's name",w.call]]),M.node,await hf(t,w,T))),M.close}var Xr={name:"operations",title:"\
Operations",draw:df};var ta=e=>y("span",{class:`severity ${String(e).toLowerCase()}`},e);function mf(e){return e?.length?y("details",{},y("summary",{},`Where it happened: ${e[0]}`),
y("ol",{class:"frames"},e.map(t=>y("li",{},t)))):null}function ea(e,t){let n=[e.process&&`${e.process} (${e.pid})`,e.rank!==null&&e.rank!==void 0&&`rank ${e.rank}`,
e.op,e.lost_ns&&`${R(e.lost_ns)} lost`,e.onset&&`from ${Tn(e.onset)}`,e.node];return y("article",{class:"chain"},y(t?"h3":"h4",{},ta(e.severity)," ",e.summary),
y("p",{class:"cause"},e.root_cause),e.explanation?y("p",{},e.explanation):null,y("p",{class:"quiet"},n.filter(Boolean).join(" \xB7 ")),e.recommendations?.length?
y("ul",{class:"remedies","aria-label":"Remedies"},e.recommendations.map(l=>y("li",{},l))):null,mf(e.stack),e.timeline?.length?y("details",{},y("summary",{},`${e.
timeline.length} steps`),y("ol",{},e.timeline.map(l=>y("li",{},y("b",{},l.layer),` ${l.detail}`)))):null,e.onset&&e.end?y("p",{},y("a",{href:At({view:"timeline",
from:e.onset,to:e.end,chosen:{chain:e.id}})},"Show it on the timeline")):null)}async function pf(e,{info:t,signal:n}){let[l,s,r]=await Promise.all([me("get_caus\
al_chains",{...ze(),top_n:20},n),me("get_trace_stats",ze(),n),me("get_calls_in_flight",{...ze(),limit:5},n)]),[c,...i]=l.chains,f=t.live?"No cause has been foun\
d so far.":"Nothing is wrong that the rules know of.";e.append(G("The cause",c?ea(c,!0):we(f),i.length?y("details",{},y("summary",{},`${i.length} more`),i.map(d=>ea(
d,!1))):null,l.earlier_chains?.length?y("details",{},y("summary",{},`${l.earlier_chains.length} chains that the earlier agent stored`),y("ul",{},l.earlier_chains.
map(d=>y("li",{},ta(d.severity),` ${d.summary}: ${d.verdict}`)))):null,$e(l))),r.calls.length&&e.append(G("Calls that have not returned",ie({caption:"Calls in f\
light, longest first",rows:r.calls,columns:[{head:"Call",text:d=>d.call},{head:"Thread",text:d=>`${d.process??""} ${d.pid}/${d.tid}`},{head:"For",text:d=>R(d.duration_ns),
number:!0}]})));let m=s.calls.slice(0,8);e.append(G("Where the calls' time went",m.length?ie({caption:"Calls by total time",rows:m,columns:[{head:"Call",node:d=>y(
"a",{href:At({view:"operations",chosen:{op:d.call}})},d.op)},{head:"Count",text:d=>H(d.count),number:!0},{head:"Total",text:d=>R(d.total_ns),number:!0},{head:"p\
50",text:d=>R(d.p50_ns),number:!0},{head:"p99",text:d=>R(d.p99_ns),number:!0},{head:"Longest",text:d=>R(d.max_ns),number:!0}]}):we("No call was recorded in this\
 part.")),G("Processes",ie({caption:"Processes",rows:s.processes,most:20,columns:[{head:"Process",text:d=>`${d.process??"?"} ${d.pid}`},{head:"Calls",text:d=>H(
d.calls),number:!0},{head:"Errors",text:d=>H(d.errors),number:!0},{head:"Host events",text:d=>H(d.host_events),number:!0},{head:"Longest call",text:d=>R(d.calls?
d.max_ns:null),number:!0}]})),G("The recording",$t([["File",t.file],["Schema",t.schema],["Events in this part",H(s.events)],["First",s.first],["Last",s.last],["\
Rows pruned",s.rows_pruned?H(s.rows_pruned):null],["Lost",s.lost===null?"not known: the earlier agent kept no account":s.lost.some(d=>d.severity!=="info")?y("a",
{href:At({view:"health"})},"something was: see Capture"):"nothing"]]),$e(s)))}var na={name:"overview",title:"Overview",draw:pf};var Pn=e=>e==null?"NULL":`'${String(e).replaceAll("'","''")}'`,wo=()=>tl("timestamp",e=>String(Oe(e))),po=e=>e==="bytes"?De:t=>t==null?"\u2013":Kt(t),gf=["","do\
wn","initialising","armed","active","deferred"];async function la(e,t){let n=await Tt(t,1e4,e.signal);return{times:n.map(l=>l.at),values:n.map(l=>l.value)}}async function wf(e,t){
let n=await me("get_fabric",ze(),t.signal),l=sa(t);if(!n.known||!n.links.length&&!n.counters.length)e.append(G("Fabric",we("No adapter was sampled: there was no\
ne, or an earlier agent recorded this."),$e(n)));else{e.append(G("Links",ie({caption:"Links",rows:n.links,columns:[{head:"Adapter",text:i=>`${i.device}, port ${i.
port}`},{head:"Layer",text:i=>i.link_layer??""},{head:"State",text:i=>gf[i.state]??String(i.state??"\u2013")},{head:"Changes",number:!0,text:i=>H(i.changes)}]})));
let s=i=>`${i.device}|${i.port??""}|${i.origin}|${i.name}`,r=n.counters.find(i=>s(i)===I.chosen.counter),c=null;if(r){let i=await la(t,`SELECT timestamp - ${t.origin}\
 AS at, value FROM fabric_samples WHERE device = ${Pn(r.device)} AND name = ${Pn(r.name)}
        AND origin = ${Pn(r.origin)} AND port IS ${r.port??"NULL"} AND ${wo()} ORDER BY timestamp`);c=pn({label:r.name,times:i.times,series:[{name:r.name,values:i.
values}],text:po(r.unit),timeText:R}),e.append(G(`${r.device}: ${r.name}`,c))}return e.append(G("Counters",ie({caption:"Counters; choose one to see it over time",
rows:n.counters,sorted:3,key:s,chosen:I.chosen.counter??null,choose:i=>Xe({counter:s(i)},!1),columns:[{head:"Counter",text:i=>i.name,sort:i=>i.name},{head:"Adap\
ter",text:i=>i.device,sort:i=>i.device},{head:"Port",text:i=>i.port??""},{head:"Grew by",number:!0,text:i=>po(i.unit)(i.grew_by),sort:i=>i.grew_by},{head:"Value",
number:!0,text:i=>po(i.unit)(i.value),sort:i=>i.value},{head:"Resets",number:!0,text:i=>i.resets?H(i.resets):""}]}),$e(n))),c&&e.prepend(c.parentNode),go(c,await l,
e)}return go(null,await l,e)}var go=(e,t,n)=>(t&&n.append(t.card),()=>{e?.close(),t?.chart.close()});async function sa(e){let t=await Tt(`SELECT timestamp - ${e.
origin} AS at, cpu_pct, mem_pct FROM system_snapshots WHERE ${wo()} ORDER BY timestamp`,1e4,e.signal);if(t.length<2)return null;let n=pn({label:"The host",times:t.
map(l=>l.at),text:l=>l==null?"\u2013":`${Math.round(l)} %`,timeText:R,height:160,series:[{name:"CPU",values:t.map(l=>l.cpu_pct)},{name:"Memory",values:t.map(l=>l.
mem_pct)}]});return{chart:n,card:G("The host",n)}}async function bf(e,t){let n=await me("get_devices",ze(),t.signal),l=sa(t);e.append(G("Devices",n.devices.length?
ie({caption:"Devices",rows:n.devices,columns:[{head:"Device",text:i=>i.name??"?"},{head:"Driver",text:i=>i.driver??"\u2013"},{head:"UUID",text:i=>i.uuid??"\u2013"},
{head:"PCI address",text:i=>i.pci_address??"\u2013"}]}):we("No device was seen."),n.known?null:we("The recording has no readings: an earlier agent made it."),$e(
n)));let s=i=>`${i.uuid??i.pci_address}|${i.name}|${i.part}`,r=n.readings.find(i=>s(i)===I.chosen.reading),c=null;if(r){let i=await la(t,`SELECT timestamp - ${t.
origin} AS at, value FROM device_samples WHERE uuid IS ${Pn(r.uuid)} AND pci_address IS ${Pn(r.pci_address)}
      AND name = ${Pn(r.name)} AND part = ${Pn(r.part)} AND ${wo()} ORDER BY timestamp`);c=pn({label:r.name,times:i.times,series:[{name:r.name,values:i.values}],
text:Kt,timeText:R}),e.append(G(r.name.replaceAll("_"," "),c))}return n.readings.length&&e.append(G("Readings",ie({caption:"Readings; choose one to see it over \
time",rows:n.readings,key:s,chosen:I.chosen.reading??null,choose:i=>Xe({reading:s(i)},!1),columns:[{head:"Reading",text:i=>`${i.name.replaceAll("_"," ")}${i.part?
` (${i.part})`:""}`,sort:i=>i.name},{head:"Device",text:i=>i.uuid??i.pci_address??"?",sort:i=>i.uuid},{head:"Last",number:!0,text:i=>i.last===null?"\u2013":Kt(i.
last)},{head:"Least",number:!0,text:i=>Kt(i.min)},{head:"Average",number:!0,text:i=>Kt(i.avg)},{head:"Most",number:!0,text:i=>Kt(i.max)},{head:"Samples",number:!0,
text:i=>H(i.samples)}]}))),n.processes.length&&e.append(G("Memory by process",ie({caption:"Memory by process",rows:n.processes,columns:[{head:"Process",text:i=>i.
pid},{head:"Device",text:i=>i.device},{head:"Memory",number:!0,text:i=>De(i.memory_bytes)}]}))),n.errors.length&&e.append(G("Errors of drivers",ie({caption:"Err\
ors of drivers",rows:n.errors,columns:[{head:"Kind",text:i=>`${i.kind} ${i.code??""}`},{head:"Meaning",text:i=>i.meaning??""},{head:"Process",text:i=>i.process??
""},{head:"Message",text:i=>i.message}]}))),go(c,await l,e)}var oa={name:"fabric",title:"Fabric",draw:wf},ia={name:"devices",title:"Devices",draw:bf};var ra=.5,os=class{constructor(t,n){this.context=t,this.onNews=n,this.lanes=[],this.views=new Map,this.cut=[],this.abort=null}text(t){return un(this.context.origin+
BigInt(Math.round(t)))}async want(t,n,l,s){let r=n-t,c={from:Math.max(-1e9,t-ra*r),to:n+ra*r},i=l.filter(d=>{let g=this.views.get(d);return!g||g.asked.from>t||g.
asked.to<n?!0:g.bins.length>0&&g.asked.to-g.asked.from>3*r});if(this.lanes.length&&i.length===0||this.abort)return;let f=new AbortController;this.abort=f;let m=await me(
"get_timeline",{from:this.text(c.from),to:this.text(c.to),bins:Math.min(1e3,Math.max(50,Math.round(s))),...l.length?{lanes:l.slice(0,48)}:{}},f.signal).finally(
()=>{this.abort=null});this.take(m,c),this.onNews()}take(t,n){this.lanes=t.lanes,this.cut=t.cut;let l=t.from?Number(Oe(t.from)-this.context.origin):0;for(let s of t.
views){let r=new Set(s.failed);this.views.set(s.lane,{asked:n,from:l,binNs:s.bins.length?t.bin_ns:0,bins:s.bins,ops:t.ops,slices:s.start_ns.map((c,i)=>({start:l+
c,duration:s.duration_ns[i],op:t.ops[s.op[i]],depth:s.depth[i],seq:s.seq[i],failed:r.has(s.seq[i])}))})}}forget(){this.views.clear()}};var aa=100,nn=(e,t,n)=>Math.min(n,Math.max(t,e));function bo(e){return e.group==="thread"?`thread ${e.tid}`:e.group==="stream"?e.stream===0?"default stream":`st\
ream ${BigInt(e.stream).toString(16)}`:e.group==="rank"?e.rank===null?`rank unknown (pid ${e.pid})`:`rank ${e.rank}${e.nranks?` of ${e.nranks}`:""}`:e.op}var xo=e=>`${e.
process||"?"} ${e.pid}${e.node?` on ${e.node}`:""}`;function xf(e,t){let n=[];t.length&&n.push({title:"Causes",chains:t});let l=null;for(let s of e){let r=s.group===
"rank"?"Collectives by rank":xo(s);r!==l&&n.push({heading:r}),l=r,n.push({lane:s,title:bo(s)})}return n}var yo=class{constructor(t,n){this.context=n,this.data=new os(
n,()=>{this.arrange(),this.schedule()}),this.chains=[],this.lines=[],this.top=0,this.frames=[],this.canvas=y("canvas",{tabindex:"0",role:"application",id:"lanes",
"aria-roledescription":"timeline","aria-label":"Timeline. Arrow keys move, plus and minus zoom, comma and period choose calls; ? lists the keys.","aria-describe\
dby":"chosen-call"}),this.detail=y("div",{id:"chosen-call","aria-live":"polite"}),this.scroller=y("div",{class:"lanes"},this.canvas),this.where=y("span",{class:"\
quiet"});let l=(s,r,c)=>y("button",{onclick:r,title:c?`${s} (${c})`:s},s);this.cutList=y("div"),t.append(y("section",{class:"card"},y("h2",{},"Timeline"),y("div",
{class:"bar"},l("Closer",()=>this.zoom(.5),"+"),l("Farther",()=>this.zoom(2),"\u2212"),l("Earlier",()=>this.pan(-.3),"\u2190"),l("Later",()=>this.pan(.3),"\u2192"),
l("Whole",()=>this.whole(),"0"),this.where),this.scroller,this.legend(),this.cutList),G("The chosen call",this.detail)),this.listen()}legend(){return y("ul",{class:"\
legend","aria-label":"Colours"},["launch","memcpy","memset","alloc","free","sync","event","graph","collective","p2p","fabric","host"].map(n=>y("li",{},y("i",{class:`\
kind ${n}`}),n)))}async start(){let{context:t}=this,n=(r,c)=>r&&Oe(r)!==null?Number(Oe(r)-t.origin):c,l=Math.max(t.spanNs,1e3);this.from=n(I.from,-.01*l),this.to=
Math.max(this.from+aa,n(I.to,1.01*l)),this.lane=I.chosen.lane??null,this.chosen=I.chosen.call?Number(I.chosen.call):null;let s=await me("get_causal_chains",{top_n:-1},
t.signal);this.chains=s.chains.filter(r=>r.onset&&Oe(r.onset)!==null).map(r=>({...r,from:Number(Oe(r.onset)-t.origin),to:r.end?Number(Oe(r.end)-t.origin):t.spanNs})),
await this.data.want(this.from,this.to,[],800),this.cutList.replaceChildren($e(this.data)??""),this.chosen!==null?await this.describe():I.chosen.chain?this.describeChain(
this.chains.find(r=>r.id===I.chosen.chain)):this.detail.replaceChildren(y("p",{class:"quiet"},"None. Click one, or press comma or period on the timeline."))}arrange(){
this.lines=xf(this.data.lanes,this.chains)}resize(){let t=this.scroller.clientWidth;if(!t)return;this.left=t<600?88:190,this.height=nn(yt+this.lines.length*Pe+6,
160,Math.max(260,innerHeight-330));let n=devicePixelRatio||1;this.canvas.width=Math.round(t*n),this.canvas.height=Math.round(this.height*n),this.canvas.style.height=
`${this.height}px`,this.width=t-this.left,this.ratio=n,this.schedule()}schedule(){this.due||this.closed||(this.due=requestAnimationFrame(()=>{this.due=0,this.draw()}))}draw(){
if(!this.width)return;if(nn(yt+this.lines.length*Pe+6,160,Math.max(260,innerHeight-330))!==this.height)return this.resize();let n=performance.now(),l=this.canvas.
getContext("2d");l.setTransform(this.ratio,0,0,this.ratio,0,0),l.fillStyle=_e("card"),l.fillRect(0,0,this.left+this.width,this.height);let s={from:this.from,to:this.
to,left:this.left,width:this.width,height:this.height,lane:this.lane,chosen:this.chosen,chain:I.chosen.chain};this.top=nn(this.top,0,Math.max(0,this.lines.length*
Pe-(this.height-yt))),Br(l,s),l.save(),l.beginPath(),l.rect(0,yt,this.left+this.width,this.height-yt),l.clip();let r=this.seen();l.save(),Vr(l,r,this.data.views,
s),l.restore(),this.drawTitles(l,r),l.restore(),this.where.textContent=`${R(this.to-this.from)} from ${R(Math.max(0,this.from))} on`,this.frames.push(performance.
now()-n),this.frames.length>2e3&&this.frames.splice(0,1e3),this.canvas.frames=this.frames,this.ask()}seen(){let t=Math.floor(this.top/Pe);return this.lines.slice(
t,t+Math.ceil((this.height-yt)/Pe)+1).map((n,l)=>({line:n,y:yt+(t+l)*Pe-this.top}))}drawTitles(t,n){t.textBaseline="middle";let l=this.left<120;for(let{line:s,y:r}of n){
t.font=`${s.heading?"600 ":""}${l?11:12}px system-ui, sans-serif`;let c=s.heading??s.title,i=s.heading?t.measureText(c).width+8:this.left;t.fillStyle=s.lane&&s.
lane.lane===this.lane?_e("chosen"):_e("card"),t.fillRect(0,r,i,Pe),t.fillStyle=s.heading?_e("ink"):_e("quiet");let f=s.heading||l?2:12;s.heading?t.fillText(c,f,
r+Pe/2):t.fillText(c,f,r+Pe/2,this.left-f-4)}}ask(){this.asking||(this.asking=setTimeout(async()=>{this.asking=0;let t=this.seen().map(({line:n})=>n.lane?.lane).
filter(Boolean).slice(0,48);if(t.length)try{await this.data.want(this.from,this.to,t,this.width)}catch(n){n.name!=="AbortError"&&this.context.say(n.message)}},60))}move(t,n){
let l=Math.max(this.context.spanNs,1e3),s=nn(n-t,aa,1.5*l),r=nn((t+n)/2,-.2*l,1.2*l);this.from=r-s/2,this.to=r+s/2,this.schedule(),clearTimeout(this.noting),this.
noting=setTimeout(()=>{fn({from:this.data.text(this.from),to:this.data.text(this.to),chosen:this.selection()},!0),this.context.header()},250)}selection(){return{
lane:this.lane,call:this.chosen,chain:I.chosen.chain}}zoom(t,n=.5){let l=this.to-this.from,s=this.from+n*l;this.move(s-n*l*t,s+(1-n)*l*t)}pan(t){let n=t*(this.to-
this.from);this.move(this.from+n,this.to+n)}whole(){let t=Math.max(this.context.spanNs,1e3);this.move(-.01*t,1.01*t)}chooseLane(t){let n=this.lines.map((i,f)=>({
line:i,i:f})).filter(({line:i})=>i.lane);if(!n.length)return;let l=n.findIndex(({line:i})=>i.lane.lane===this.lane),s=n[nn(l<0?0:l+t,0,n.length-1)];this.lane=s.
line.lane.lane;let r=s.i*Pe,c=this.height-yt-Pe;this.top=nn(this.top,r-c,r),this.context.say(`${bo(s.line.lane)}, ${xo(s.line.lane)}, ${H(s.line.lane.events)} e\
vents`),Xe(this.selection()),this.schedule()}chooseCall(t){this.lane||this.chooseLane(0);let n=this.data.views.get(this.lane)?.slices??[];if(!n.length){this.context.
say(this.data.views.get(this.lane)?.bins.length?"Too many calls to choose one here: zoom closer.":"No call here.");return}let l=n.findIndex(r=>r.seq===this.chosen),
s=l>=0?l+t:Math.max(0,n.findIndex(r=>r.start>=this.from));this.take(n[nn(s,0,n.length-1)])}take(t){if(this.chosen=t?.seq??null,t&&(t.start>this.to||t.start+(t.duration??
0)<this.from)){let n=(this.to-this.from)/2;this.move(t.start-n,t.start+n)}Xe({...this.selection(),chain:null}),this.schedule(),this.describe()}async describe(){
let t=this.chosen;if(t!==null)try{let[n]=await Tt(`SELECT op_name, call, kind, layer, comm, pid, tid, duration, outcome, ret_code, failed, bytes, direction, str\
eam, kernel, gpu_id,
        library, parent_call, preempted_ns, runqueue_ns, blocked_ns, io_ns, culprit_comm, culprit_pid, culprit_ns FROM events WHERE seq = ${Number(t)}`,1);if(t!==
this.chosen||!n)return;let l=[["preempted",n.preempted_ns],["waiting for a CPU",n.runqueue_ns],["blocked",n.blocked_ns],["on I/O",n.io_ns]];this.detail.replaceChildren(
y("h3",{},n.op_name),$t([["Took",R(n.duration)],["Call",n.call],["Process",`${n.comm??"?"} ${n.pid}`],["Thread",n.tid],["Outcome",n.failed?`${n.outcome}, failed\
 (${n.ret_code})`:n.outcome],["Bytes",n.bytes===null?null:De(n.bytes)],["Direction",n.direction],["Stream",n.stream===null?null:`0x${BigInt.asUintN(64,BigInt(n.
stream)).toString(16)}`],["Kernel",n.kernel],["Device",n.gpu_id],["Library",n.library],["Made inside",n.parent_call],["Off the CPU",l.filter(([,s])=>s).map(([s,
r])=>`${R(r)} ${s}`).join(", ")],["Meanwhile ran",n.culprit_comm?`${n.culprit_comm} ${n.culprit_pid}, ${R(n.culprit_ns)}`:null]]))}catch(n){n.name!=="AbortError"&&
this.context.say(n.message)}}describeChain(t){t&&this.detail.replaceChildren(y("h3",{},`${t.severity}: ${t.summary}`),y("p",{},t.root_cause),y("p",{class:"quiet"},
`from ${Tn(t.onset)} to ${Tn(t.end)}`))}at(t){let n=this.canvas.getBoundingClientRect(),[l,s]=[t.clientX-n.left,t.clientY-n.top],r=nn((l-this.left)/this.width,0,
1);return{x:l,y:s,part:r,time:this.from+r*(this.to-this.from),line:this.lines[Math.floor((s-yt+this.top)/Pe)]}}click(t){let{line:n,time:l}=this.at(t);if(n?.chains){
let c=4*(this.to-this.from)/this.width,i=n.chains.find(f=>f.from-c<=l&&l<=f.to+c);i&&(this.chosen=null,Xe({...this.selection(),chain:i.id}),this.describeChain(i),
this.schedule());return}if(!n?.lane)return;this.lane=n.lane.lane;let s=3*(this.to-this.from)/this.width,r=null;for(let c of this.data.views.get(this.lane)?.slices??
[]){if(c.start-s>l)break;c.start+(c.duration??1/0)+s>=l&&(!r||c.depth>=r.depth)&&(r=c)}r?this.take(r):(Xe(this.selection()),this.context.say(`${bo(n.lane)}, ${xo(
n.lane)}`),this.schedule())}listen(){let{canvas:t}=this;t.addEventListener("wheel",l=>{l.preventDefault(),l.ctrlKey||l.metaKey?this.zoom(Math.exp(l.deltaY/300),
this.at(l).part):l.shiftKey||Math.abs(l.deltaX)>Math.abs(l.deltaY)?this.pan((l.deltaX||l.deltaY)/this.width):this.lines.length*Pe>this.height-yt?(this.top+=l.deltaY,
this.schedule()):scrollBy(0,l.deltaY)},{passive:!1});let n=null;t.addEventListener("pointerdown",l=>{n={x:l.clientX,y:l.clientY,from:this.from,to:this.to,top:this.
top,moved:!1},t.setPointerCapture(l.pointerId)}),t.addEventListener("pointermove",l=>{if(!n)return;let[s,r]=[l.clientX-n.x,l.clientY-n.y];if(!n.moved&&Math.hypot(
s,r)<4)return;n.moved=!0;let c=-(s/this.width)*(n.to-n.from);this.top=n.top-r,this.move(n.from+c,n.to+c)}),t.addEventListener("pointerup",l=>{n&&!n.moved&&this.
click(l),n=null}),t.addEventListener("pointercancel",()=>{n=null}),t.addEventListener("keydown",l=>this.key(l)),this.observer=new ResizeObserver(()=>this.resize()),
this.observer.observe(this.scroller),this.scheme=matchMedia("(prefers-color-scheme: dark)"),this.onScheme=()=>{fo(),this.schedule()},this.scheme.addEventListener(
"change",this.onScheme)}key(t){if(t.altKey||t.metaKey)return;let n=()=>(this.data.views.get(this.lane)?.slices??[]).find(s=>s.seq===this.chosen),l={ArrowLeft:()=>this.
pan(t.shiftKey?-.5:-.1),ArrowRight:()=>this.pan(t.shiftKey?.5:.1),ArrowUp:()=>t.ctrlKey?this.zoom(.7):this.chooseLane(-1),ArrowDown:()=>t.ctrlKey?this.zoom(1.4):
this.chooseLane(1),"+":()=>this.zoom(.6),"=":()=>this.zoom(.6),"-":()=>this.zoom(1.6),",":()=>this.chooseCall(-1),".":()=>this.chooseCall(1),0:()=>this.whole(),
Home:()=>this.move(0,this.to-this.from),End:()=>this.move(this.context.spanNs-(this.to-this.from),this.context.spanNs),Enter:()=>{let s=n();s&&this.move(s.start-
.2*Math.max(s.duration??0,1e3),s.start+1.2*Math.max(s.duration??0,1e3))}};l[t.key]&&(t.preventDefault(),t.stopPropagation(),l[t.key]())}close(){this.closed=!0,cancelAnimationFrame(
this.due),clearTimeout(this.asking),clearTimeout(this.noting),this.data.abort?.abort(),this.observer.disconnect(),this.scheme.removeEventListener("change",this.
onScheme)}},it=null;async function yf(e,t){fo();let n=new yo(e,t);return await n.start(),n.arrange(),it=n,()=>n.close()}async function _f(e){if(!it||it.closed)return;
let t=it.to>=it.context.spanNs;if(it.context.spanNs=e.spanNs,it.data.forget(),!I.from&&!I.to)it.from=-.01*e.spanNs,it.to=1.01*e.spanNs;else if(t&&it.to<e.spanNs){
let n=it.to-it.from;it.from=e.spanNs-n,it.to=e.spanNs+.01*n}it.schedule()}var ca={name:"timeline",title:"Timeline",draw:yf,refresh:_f};var gn=[na,Xr,ca,di,Zr,fi,Kr,oa,ia,mi],vf=2e3,Nt=document.getElementById("main"),is=document.getElementById("notice"),Sf=document.getElementById("status"),rt={info:null,
origin:0n,spanNs:0,say:e=>{Sf.textContent=e},header:()=>rs()},Rn=null,Cl=!0;async function kf(){let e=await me("get_trace_stats"),{file:t,live:n,earlier_agent:l,
schema:s}=e.recording;rt.info={file:t,live:n,earlier:l,schema:s,first:e.first,last:e.last,events:e.events},rt.origin=Oe(e.first)??0n,rt.spanNs=e.last?Number(Oe(
e.last)-rt.origin):0}var ft={text:y("span"),follow:y("button",{id:"follow",onclick:()=>{Cl=!Cl,rs()}}),links:gn.map((e,t)=>y("a",{"aria-keyshortcuts":Ds(t)},e.title)),
part:y("span"),whole:y("button",{id:"whole",onclick:()=>fn({from:null,to:null,chosen:I.chosen})},"Whole recording")};document.getElementById("recording").append(
ft.text," ",ft.follow);document.getElementById("views").append(...ft.links);document.getElementById("part").append(ft.part," ",ft.whole);function rs(){let{file:e,
live:t,earlier:n,first:l,events:s}=rt.info;document.title=`${gn.find(m=>m.name===I.view)?.title??"?"} \u2013 ${e} \u2013 ingero`;let r=[e,`${H(s)} events`,l?`${R(
rt.spanNs)} from ${l.slice(0,10)} ${Tn(l)} UTC`:"no event yet"];if(n&&r.push("made by the earlier agent"),ft.text.textContent=r.join(" \xB7 "),ft.follow.hidden=
!t,ft.follow.textContent=Cl?"Live: following":"Live: paused",ft.follow.setAttribute("aria-pressed",String(Cl)),ft.links.forEach((m,d)=>{let g=gn[d].name===I.view;
if(m.href=At({view:gn[d].name}),g===m.hasAttribute("aria-current")||(m.toggleAttribute("aria-current",g),!g))return;m.setAttribute("aria-current","page");let w=m.
parentNode;w.scrollLeft=m.offsetLeft-w.offsetLeft-(w.clientWidth-m.offsetWidth)/2}),ft.whole.hidden=!I.from&&!I.to,ft.whole.hidden){ft.part.textContent="Whole r\
ecording";return}let c=(m,d)=>m?Number((Oe(m)??rt.origin)-rt.origin):d,[i,f]=[c(I.from,0),c(I.to,rt.spanNs)];ft.part.textContent=`Part: ${R(Math.max(0,f-i))}, f\
rom ${R(i)} on`}async function fa(e=!1){let t=gn.find(d=>d.name===I.view)??gn[0],n=new AbortController,l=Rn;l?.abort.abort();let s={view:t,abort:n};Rn=s,rs(),e||
Nt.setAttribute("aria-busy","true");let r=y("div",{class:`view ${t.name}`});try{if(s.close=await t.draw(r,{...rt,signal:n.signal}),Rn!==s){s.close?.();return}is.
hidden=!0}catch(d){if(Rn!==s||d.name==="AbortError")return;if(d instanceof Xt&&d.status===401)return vo(d.message);r.replaceChildren(),_o(d)}l?.close?.();let c="\
a,button,input,select,[tabindex]",i=[...Nt.querySelectorAll(c)].indexOf(document.activeElement),f=[scrollX,scrollY],m=[...Nt.querySelectorAll("details")].map(d=>d.
open);Nt.replaceChildren(r),Nt.removeAttribute("aria-busy"),e&&(i>=0&&Nt.querySelectorAll(c)[i]?.focus({preventScroll:!0}),Nt.querySelectorAll("details").forEach(
(d,g)=>{d.open=m[g]??!1}),scrollTo(...f))}function _o(e){is.textContent=e instanceof Xt?e.message:`This page failed: ${e.message}`,is.hidden=!1,e instanceof Xt||
console.error(e)}var Mf=()=>Nt.querySelector(":active, input:focus, select:focus")!==null,ua=0;async function ha(){let e=++ua,t=!rt.info||rt.info.live&&Cl&&!document.
hidden;try{if(t){let n=!rt.info;await kf(),is.hidden=!0,Rn?.view.refresh&&!n?(rs(),await Rn.view.refresh(rt)):Mf()||await fa(!0)}}catch(n){if(n.status===401)return vo(
n.message);_o(n)}setTimeout(()=>e===ua&&ha(),vf)}async function vo(e){try{e?await Ls(Nt,e):await ni(Nt),document.activeElement?.blur()}catch(t){_o(t)}ha()}addEventListener(
"keydown",e=>ai(e,gn,Rn?.view));document.getElementById("skip").addEventListener("click",e=>{e.preventDefault(),Nt.focus()});si(()=>rt.info&&fa().then(()=>{document.
activeElement===document.body&&Nt.focus({preventScroll:!0})}));oi();ri(gn);vo();
