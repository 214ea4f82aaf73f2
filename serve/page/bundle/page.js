// Made by serve/page/build.mjs from serve/page/source/: change those.
function x(e,t={},...n){let l=document.createElement(e);for(let[s,a]of Object.entries(t))a==null||a===!1||(s.startsWith("on")?l.addEventListener(s.slice(2),a):l.
setAttribute(s,a===!0?"":String(a)));for(let s of n.flat())s==null||s===!1||l.append(s instanceof Node?s:document.createTextNode(String(s)));return l}var wn="\u2013",
In=e=>e!=null;function jo(e){let t=Math.abs(e);return t>=100?e.toFixed(0):t>=10?e.toFixed(1):e.toFixed(2)}var Da=[["s",1e9],["ms",1e6],["\xB5s",1e3]];function V(e){
if(!In(e))return wn;let t=Math.abs(e);if(t===0)return"0";if(t>=36e11)return`${(e/36e11).toFixed(1)} h`;if(t>=12e10)return`${(e/6e10).toFixed(1)} min`;for(let[n,
l]of Da)if(t>=l)return`${jo(e/l)} ${n}`;return`${Math.round(e)} ns`}function ze(e){if(!In(e))return wn;for(let[t,n]of[["TB",1e12],["GB",1e9],["MB",1e6],["kB",1e3]])
if(Math.abs(e)>=n)return`${jo(e/n)} ${t}`;return`${e} B`}function ee(e){return In(e)?Number(e).toLocaleString("en"):wn}function _l(e){for(let[t,n]of[["T",1e12],
["G",1e9],["M",1e6],["k",1e3]])if(Math.abs(e)>=n)return`${+(e/n).toPrecision(3)}${t}`;return String(+e.toPrecision(3))}function bn(e){return In(e)&&Number.isFinite(
e)?`${(100*e).toFixed(e<.1?1:0)} %`:wn}function Ue(e){let t=/^(.*?)(?:\.(\d{1,9}))?Z$/.exec(e??""),n=t?Date.parse(`${t[1]}Z`):NaN;return Number.isNaN(n)?null:BigInt(
n)*1000000n+BigInt((t[2]??"").padEnd(9,"0"))}function yn(e){let t=e/1000000000n;return`${new Date(Number(t)*1e3).toISOString().slice(0,19)}.${String(e-t*1000000000n).
padStart(9,"0")}Z`}function vl(e){return e?e.slice(11,23).replace("Z",""):wn}var xn="ingero-token",il=class extends Error{constructor(t,n,l){super(l),this.status=t,this.word=n}};async function Jo(e,t,n,l){let s=sessionStorage.getItem(xn),
a=s?{Authorization:`Bearer ${s}`}:{};n!==void 0&&(a["Content-Type"]="application/json");let c;try{c=await fetch(t,{method:e,headers:a,body:n,signal:l,credentials:"\
omit",cache:"no-store"})}catch(f){throw f.name==="AbortError"?f:new il(0,"gone","the server does not answer")}let i=await c.json().catch(()=>({error:`status ${c.
status}`,class:"internal"}));if(!c.ok)throw new il(c.status,i.class,i.error);return i}var ge=(e,t={},n=void 0)=>Jo("POST",`/api/v1/tools/${e}`,JSON.stringify(t),
n),Zo=e=>Jo("GET",e);async function Yt(e,t=1e3,n=void 0){let l=await ge("run_sql",{query:e,limit:t},n);return l.data.map(s=>Object.fromEntries(s.map((a,c)=>[l.columns[c],
a])))}async function Qo(e){let{asks_token:t}=await Zo("/page.json");!t||sessionStorage.getItem(xn)||await $s(e,"")}function $s(e,t){return sessionStorage.removeItem(
xn),new Promise(n=>{let l=x("input",{id:"token",type:"password",autocomplete:"off",spellcheck:"false",required:!0}),s=x("p",{role:"alert"},t),a=x("form",{class:"\
card login"},x("h2",{},"Token"),x("p",{},"The recording is for those who have the token that the server was started with. It stays in this tab."),x("label",{for:"\
token"},"Bearer token"),l,x("button",{type:"submit"},"Open"),s);a.addEventListener("submit",async c=>{c.preventDefault(),sessionStorage.setItem(xn,l.value);try{
await Zo("/api/v1/health"),n()}catch(i){sessionStorage.removeItem(xn),s.textContent=i.status===401?"That is not the token.":i.message,l.select()}}),e.replaceChildren(
a),l.focus()})}var W={view:"overview",from:null,to:null,chosen:{}},Xo=[],ei=e=>Xo.push(e);function Ls(){let[e,t=""]=location.hash.replace(/^#\/?/,"").split("?"),n=new URLSearchParams(
t);W.view=e||"overview",W.from=n.get("from"),W.to=n.get("to"),n.delete("from"),n.delete("to"),W.chosen=Object.fromEntries(n)}function jt({view:e=W.view,from:t=W.
from,to:n=W.to,chosen:l={}}={}){let s=new URLSearchParams;t&&s.set("from",t),n&&s.set("to",n);for(let[c,i]of Object.entries(l))i!=null&&s.set(c,i);let a=s.toString();
return`#/${e}${a?`?${a}`:""}`}function rl(e,t=!1){let n=jt(e);if(n!==location.hash){if(!t){location.hash=n;return}history.replaceState(null,"",n),Ls()}}var ut=(e,t=!0)=>rl(
{chosen:{...W.chosen,...e}},t),Je=()=>({...W.from&&{from:W.from},...W.to&&{to:W.to}});function Wn(e,t){let n=[];return W.from&&n.push(`${e} >= ${t(W.from)}`),W.
to&&n.push(`${e} <= ${t(W.to)}`),n.length?n.join(" AND "):"1"}function ti(){Ls(),addEventListener("hashchange",()=>{Ls();for(let e of Xo)e()})}var Pa=[["1 to 9","the views, in their order"],["0","the whole recording"],["?","this list"],["Escape","closes it"]],Ra=[["\u2190 \u2192","earlier, later"],["+ \
\u2212","closer, farther (also \u2191 \u2193 with Ctrl, or the wheel with Ctrl)"],["\u2191 \u2193","the lane above, below"],[", .","the previous, the next call \
of the lane"],["Enter","as close as the chosen call"],["Home End","the beginning, the end"]],Bn=document.getElementById("keys"),li=(e,t)=>[x("h3",{},e),x("dl",{
class:"keys"},t.map(([n,l])=>x("div",{},x("dt",{},x("kbd",{},n)),x("dd",{},l))))];function ni(){Bn.replaceChildren(x("h2",{id:"keys-title"},"Keys"),...li("Every\
where",Pa),...li("On the timeline",Ra),x("button",{onclick:()=>Bn.close()},"Close"))}var Oa=e=>e instanceof HTMLElement&&(e.isContentEditable||/^(INPUT|SELECT|TEXTAREA)$/.
test(e.tagName));function si(e,t){if(e.ctrlKey||e.metaKey||e.altKey||Oa(e.target)||Bn.open)return;let n=Number(e.key);if(e.key==="?")Bn.showModal();else if(e.key===
"0")rl({from:null,to:null});else if(n>=1&&n<=t.length)rl({view:t[n-1].name});else return;e.preventDefault()}function pe({caption:e,columns:t,rows:n,sorted:l=null,choose:s=null,key:a=null,chosen:c=null,most:i=200}){let f={by:l,down:!0},m=x("tbody"),d=x("p",{class:"quie\
t"});function g(){let M=t[f.by],L=n;M?.sort&&(L=[...n].sort((y,O)=>{let[_,C]=[M.sort(y),M.sort(O)],S=_===C?0:_==null?-1:C==null?1:_<C?-1:1;return f.down?-S:S})),
m.replaceChildren(...L.slice(0,i).map(y=>{let O=x("tr",{"aria-selected":a&&c!==null?String(a(y))===String(c):void 0});return t.forEach((_,C)=>{let S=_.node?_.node(
y):_.text(y);O.append(x(C===0?"th":"td",{scope:C===0?"row":void 0,class:_.number?"number":void 0},C===0&&s?x("button",{class:"plain",onclick:()=>s(y)},S):S))}),
O})),d.textContent=n.length>i?`${i} of ${n.length} rows are shown.`:"",w.forEach((y,O)=>y.setAttribute("aria-sort",O!==f.by?"none":f.down?"descending":"ascendin\
g"))}let w=t.map((M,L)=>x("th",{scope:"col",class:M.number?"number":void 0,title:M.title},M.sort?x("button",{class:"plain",onclick:()=>{f.down=f.by===L?!f.down:
!0,f.by=L,g()}},M.head):M.head)),T=x("div",{class:"table",tabindex:"0",role:"group","aria-label":e},x("table",{},x("caption",{},e),x("thead",{},x("tr",{},w)),m),
d);return g(),T}function Et(e){return x("dl",{class:"facts"},e.filter(([,t])=>t!=null&&t!=="").map(([t,n])=>x("div",{},x("dt",{},t),x("dd",{},n))))}var te=(e,...t)=>x(
"section",{class:"card"},x("h2",{},e),...t),Le=e=>x("p",{class:"quiet"},e),De=e=>e?.cut?.length?x("ul",{class:"cut"},e.cut.map(t=>x("li",{},t))):null;var oi=e=>e===null?"made before the recording":BigInt(e).toString(16);async function Fa(e,t){let n=await ge("get_collectives",Je(),t.signal);if(!n.communicators.
length){e.append(te("Collectives",Le("No collective was called in this part."),De(n)));return}for(let l of n.communicators)e.append(te(`Communicator ${oi(l.comm_id_hash)}`,
Et([["Ranks",l.nranks],["Ranks seen here",ee(l.ranks_seen)],["Collectives that several entered",ee(l.rounds)],["First to last, at most",l.max_skew_ns===null?null:
V(l.max_skew_ns)]]),l.hangs.length?x("ul",{class:"cut"},l.hangs.map(s=>x("li",{},`${s.call} number ${s.number}: ranks ${s.missing} missing while ${s.present} wa\
ited ${V(s.waited_ns)}${s.is_over?"":", still"}`))):null,pe({caption:"Calls",rows:l.ops,columns:[{head:"Call",text:s=>s.call},{head:"Calls",number:!0,text:s=>ee(
s.calls)},{head:"Bytes",number:!0,text:s=>ze(s.bytes)},{head:"Average wait",number:!0,text:s=>V(s.average_wait_ns)},{head:"Longest wait",number:!0,text:s=>V(s.max_wait_ns)}]}),
l.last.length?pe({caption:"Who came last",rows:l.last,columns:[{head:"Came last",text:s=>s.rank===null?`pid ${s.pid}`:`rank ${s.rank}`},{head:"Times",number:!0,
text:s=>ee(s.times)},{head:"After the first, at most",number:!0,text:s=>V(s.max_skew_ns)},{head:"After the one before",number:!0,text:s=>V(s.late_ns)}]}):null));
e.append(te("By rank",pe({caption:"By rank",rows:n.ranks,columns:[{head:"Rank",text:l=>l.rank===null?`pid ${l.pid}`:l.rank,sort:l=>l.rank},{head:"Communicator",
text:l=>oi(l.comm_id_hash)},{head:"Calls",number:!0,text:l=>ee(l.calls),sort:l=>l.calls},{head:"Bytes",number:!0,text:l=>ze(l.bytes),sort:l=>l.bytes},{head:"Ave\
rage wait",number:!0,text:l=>V(l.average_wait_ns),sort:l=>l.average_wait_ns},{head:"Longest wait",number:!0,text:l=>V(l.max_wait_ns),sort:l=>l.max_wait_ns},{head:"\
Last number",number:!0,text:l=>ee(l.last_number),sort:l=>l.last_number}]}),De(n)))}var ii={name:"collectives",title:"Collectives",draw:Fa};function za(e){let t={name:"all",ns:0,n:0,children:new Map};for(let n of e){if(!n.frames?.length)continue;t.ns+=n.total_ns??0,t.n+=n.n;let l=t;for(let s of[...n.
frames].reverse())l.children.has(s)||l.children.set(s,{name:s,ns:0,n:0,children:new Map}),l=l.children.get(s),l.ns+=n.total_ns??0,l.n+=n.n}return t}function Ia(e,t){
let n=e;for(let l of t)if(n=n.children.get(l),!n)return null;return n}var Wa=e=>e.children.size===0?"leaf":/\.py\b|\[Python\]/.test(e.name)?"python":"native";function ri(e,t,n,l,s=0){
if(s>60)return null;let a=[...e.children.values()].sort((c,i)=>i.ns-c.ns).filter(c=>c.ns/t.ns>.002);return x("ul",{class:"icicle"},a.map(c=>{let i=x("li",{},x("\
button",{class:`box ${Wa(c)}`,title:`${c.name}: ${V(c.ns)}, ${bn(c.ns/t.ns)}, ${ee(c.n)} calls`,onclick:()=>l([...n,c.name])},c.name),ri(c,t,[...n,c.name],l,s+1));
return i.style.flexGrow=String(c.ns),i.style.width=`${100*c.ns/e.ns}%`,i}))}async function Ba(e,t){let n=await ge("get_stacks",{...Je(),limit:100,...W.chosen.op&&
{op:W.chosen.op}},t.signal),l=n.stacks.filter(d=>d.frames?.length),s=za(l),a=[];try{a=JSON.parse(W.chosen.path??"[]")}catch{a=[]}let c=Array.isArray(a)?Ia(s,a.map(
String))??s:s;c===s&&(a=[]);let i=d=>ut({path:d.length?JSON.stringify(d):null},!1),f=[...new Set(n.stacks.map(d=>d.op))].sort(),m=x("select",{id:"op"},x("option",
{value:""},"all calls"),f.map(d=>x("option",{value:d,selected:d===W.chosen.op},d)));W.chosen.op&&!f.includes(W.chosen.op)&&m.append(x("option",{value:W.chosen.op,
selected:!0},W.chosen.op)),m.addEventListener("change",()=>ut({op:m.value||null,path:null},!1)),e.append(x("section",{class:"card"},x("h2",{},"Where calls were \
made"),x("div",{class:"bar"},x("label",{for:"op"},"Of"),m,a.length?x("button",{onclick:()=>i([])},"All of it"):null,a.length?x("button",{onclick:()=>i(a.slice(0,
-1))},"One frame out"):null),l.length?x("div",{},a.length?x("p",{},a.at(-1)):null,x("p",{class:"quiet"},`${V(c.ns)} in ${ee(c.n)} calls; a frame is as wide as i\
ts share, the calls stand at the bottom.`),x("div",{class:"flames",role:"group","aria-label":"Flame graph"},ri(c,c,a,i))):Le("This part has no stacks: not every\
 call has one (trace --stack), and recordings of the earlier agent may have none."),De(n))),n.stacks.length&&e.append(te("Stacks",pe({caption:"Stacks by time",rows:n.
stacks,sorted:2,columns:[{head:"Call",text:d=>d.op,sort:d=>d.op},{head:"Calls",number:!0,text:d=>ee(d.n),sort:d=>d.n},{head:"Time",number:!0,text:d=>V(d.total_ns),
sort:d=>d.total_ns},{head:"Longest",number:!0,text:d=>V(d.max_us===null?null:d.max_us*1e3),sort:d=>d.max_us},{head:"Innermost frames",text:d=>(d.frames??[]).slice(
0,3).join(" < ")||"not known"}]})))}var ai={name:"flame",title:"Flame graph",draw:Ba};async function Va(e,{info:t,signal:n}){let[l,s,a]=await Promise.all([ge("get_trace_stats",{},n),Yt("SELECT id, (CASE WHEN stopped_at > 0 THEN stopped_at - start\
ed_at END) AS lasted_ns, kernel, os_release, cpu_model, cpu_cores, gpu_model, gpu_driver, flags, pid_filter, node, ingero_ver FROM sessions ORDER BY id",50,n),t.
earlier?Promise.resolve(null):Yt("SELECT backend, library, library_version, count(*) AS rows, count(DISTINCT name) AS calls FROM sites GROUP BY 1, 2, 3 ORDER BY\
 rows DESC",200,n)]),c=l.lost;e.append(te("What was lost",c===null?Le("Not known: the earlier agent kept no account of it."):c.length===0?Le("Nothing."):pe({caption:"\
Losses",rows:c,sorted:1,columns:[{head:"What",text:f=>f.sentence},{head:"Count",number:!0,text:f=>ee(f.count),sort:f=>f.count},{head:"Severity",node:f=>x("span",
{class:`severity ${f.severity==="info"?"low":"medium"}`},f.severity),sort:f=>f.severity},{head:"Name",text:f=>f.name}]}))),e.append(te("Rows in use, by library",
a===null?Le("Not known: the earlier agent did not store it."):a.length===0?Le("No call of a library was captured."):pe({caption:"Libraries",rows:a,columns:[{head:"\
Library",text:f=>f.library??"the kernel"},{head:"Version",text:f=>f.library_version??""},{head:"Backend",text:f=>f.backend},{head:"Calls",number:!0,text:f=>ee(f.
calls)},{head:"Spellings",number:!0,text:f=>ee(f.rows)}]}),x("p",{class:"quiet"},"Rows that saw at least one call. What could be attached on a machine is what i\
ts ingero check says; below is this server's."))),e.append(te("Runs of the agent",pe({caption:"Runs",rows:s,columns:[{head:"Run",text:f=>`${f.id}${f.node?` on ${f.
node}`:""}`},{head:"Lasted",number:!0,text:f=>f.lasted_ns===null?t.live?"running":"killed":V(f.lasted_ns)},{head:"Flags",text:f=>f.flags??""},{head:"Processes",
text:f=>f.pid_filter||"all"},{head:"Kernel",text:f=>f.kernel??""},{head:"CPU",text:f=>`${f.cpu_model??""}${f.cpu_cores?`, ${f.cpu_cores}`:""}`},{head:"Device",text:f=>f.
gpu_model??""},{head:"Version",text:f=>f.ingero_ver??""}]}),Et([["Events",ee(l.events)],["Rows pruned to keep the file small",l.rows_pruned?ee(l.rows_pruned):"n\
one"]]),De(l)));let i=x("div",{},x("button",{id:"check",onclick:async()=>{i.replaceChildren(x("p",{class:"quiet"},"Looking\u2026"));try{let f=await ge("get_chec\
k"),m=f.checks??f.report?.checks??[];i.replaceChildren(m.length?pe({caption:"Checks of this machine",rows:m,columns:[{head:"Check",text:d=>d.name??""},{head:"Re\
sult",text:d=>d.status??d.result??""},{head:"What was found",text:d=>d.value??d.detail??d.sentence??""}]}):x("pre",{},JSON.stringify(f,null,1)))}catch(f){i.replaceChildren(
x("p",{role:"alert"},f.message))}}},"Check this machine"));e.append(te("The machine that serves this page",i))}var ci={name:"health",title:"Capture",draw:Va};var Ha="uplot",Ya="u-hz",Ga="u-vt",qa="u-title",Ua="u-wrap",Ka="u-under",ja="u-over",Ja="u-axis",Ml="u-off",Za="u-select",Qa="u-cursor-x",Xa="u-cursor-y",ec="u-\
cursor-pt",tc="u-legend",lc="u-live",nc="u-inline",sc="u-series",oc="u-marker",ui="u-label",ic="u-value",vn="width",Sn="height";var fi="bottom",Jl="left",Ns="right",js="#000",hi=js+"0",Ds="mousemove",di="mousedown",Ps="mouseup",mi="mouseenter",pi="mouseleave",gi="dblclick",rc="resize",ac="\
scroll",wi="change",qn="dppxchange",Js="--",nn=typeof window<"u",Is=nn?document:null,Ql=nn?window:null,cc=nn?navigator:null,ue,Vn;function Ws(){let e=devicePixelRatio;
ue!=e&&(ue=e,Vn&&Vs(wi,Vn,Ws),Vn=matchMedia(`(min-resolution: ${ue-.001}dppx) and (max-resolution: ${ue+.001}dppx)`),El(wi,Vn,Ws),Ql.dispatchEvent(new CustomEvent(
qn)))}function gt(e,t){if(t!=null){let n=e.classList;!n.contains(t)&&n.add(t)}}function Bs(e,t){let n=e.classList;n.contains(t)&&n.remove(t)}function ke(e,t,n){
e.style[t]=n+"px"}function Pt(e,t,n,l){let s=Is.createElement(e);return t!=null&&gt(s,t),n?.insertBefore(s,l),s}function Tt(e,t){return Pt("div",e,t)}var bi=new WeakMap;
function Gt(e,t,n,l,s){let a="translate("+t+"px,"+n+"px)",c=bi.get(e);a!=c&&(e.style.transform=a,bi.set(e,a),t<0||n<0||t>l||n>s?gt(e,Ml):Bs(e,Ml))}var yi=new WeakMap;
function xi(e,t,n){let l=t+n,s=yi.get(e);l!=s&&(yi.set(e,l),e.style.background=t,e.style.borderColor=n)}var _i=new WeakMap;function vi(e,t,n,l){let s=t+""+n,a=_i.
get(e);s!=a&&(_i.set(e,s),e.style.height=n+"px",e.style.width=t+"px",e.style.marginLeft=l?-t/2+"px":0,e.style.marginTop=l?-n/2+"px":0)}var Zs={passive:!0},uc={...Zs,
capture:!0};function El(e,t,n,l){t.addEventListener(e,n,l?uc:Zs)}function Vs(e,t,n,l){t.removeEventListener(e,n,Zs)}nn&&Ws();function Rt(e,t,n,l){let s;n=n||0,l=
l||t.length-1;let a=l<=2147483647;for(;l-n>1;)s=a?n+l>>1:wt((n+l)/2),t[s]<e?n=s:l=s;return e-t[n]<=t[l]-e?n:l}function Ji(e){return(n,l,s)=>{let a=-1,c=-1;for(let i=l;i<=
s;i++)if(e(n[i])){a=i;break}for(let i=s;i>=l;i--)if(e(n[i])){c=i;break}return[a,c]}}var Zi=e=>e!=null,Qi=e=>e!=null&&e>0,jn=Ji(Zi),fc=Ji(Qi);function hc(e,t,n,l=0,s=!1){
let a=s?fc:jn,c=s?Qi:Zi;[t,n]=a(e,t,n);let i=e[t],f=e[t];if(t>-1)if(l==1)i=e[t],f=e[n];else if(l==-1)i=e[n],f=e[t];else for(let m=t;m<=n;m++){let d=e[m];c(d)&&(d<
i?i=d:d>f&&(f=d))}return[i??we,f??-we]}function Jn(e,t,n,l){let s=Mi(e),a=Mi(t);e==t&&(s==-1?(e*=n,t/=n):(e/=n,t*=n));let c=n==10?Jt:Xi,i=s==1?wt:Ct,f=a==1?Ct:wt,
m=i(c(We(e))),d=f(c(We(t))),g=Xl(n,m),w=Xl(n,d);return n==10&&(m<0&&(g=be(g,-m)),d<0&&(w=be(w,-d))),l||n==2?(e=g*s,t=w*a):(e=nr(e,g),t=Zn(t,w)),[e,t]}function Qs(e,t,n,l){
let s=Jn(e,t,n,l);return e==0&&(s[0]=0),t==0&&(s[1]=0),s}var Xs=.1,Si={mode:3,pad:Xs},Mn={pad:0,soft:null,mode:0},dc={min:Mn,max:Mn};function Un(e,t,n,l){return Qn(
n)?ki(e,t,n):(Mn.pad=n,Mn.soft=l?0:null,Mn.mode=l?3:0,ki(e,t,dc))}function ae(e,t){return e??t}function mc(e,t,n){for(t=ae(t,0),n=ae(n,e.length-1);t<=n;){if(e[t]!=
null)return!0;t++}return!1}function ki(e,t,n){let l=n.min,s=n.max,a=ae(l.pad,0),c=ae(s.pad,0),i=ae(l.hard,-we),f=ae(s.hard,we),m=ae(l.soft,we),d=ae(s.soft,-we),
g=ae(l.mode,0),w=ae(s.mode,0),T=t-e,M=Jt(T),L=st(We(e),We(t)),y=Jt(L),O=We(y-M);(T<1e-24||O>10)&&(T=0,(e==0||t==0)&&(T=1e-24,g==2&&m!=we&&(a=0),w==2&&d!=-we&&(c=
0)));let _=T||L||1e3,C=Jt(_),S=Xl(10,wt(C)),K=_*(T==0?e==0?.1:1:a),$=be(nr(e-K,S/10),24),j=e>=m&&(g==1||g==3&&$<=m||g==2&&$>=m)?m:we,G=st(i,$<j&&e>=j?j:Ot(j,$)),
Z=_*(T==0?t==0?.1:1:c),J=be(Zn(t+Z,S/10),24),A=t<=d&&(w==1||w==3&&J>=d||w==2&&J<=d)?d:-we,X=Ot(f,J>A&&t<=A?A:st(A,J));return G==X&&G==0&&(X=100),[G,X]}var pc=new Intl.
NumberFormat(nn?cc.language:"en-US"),eo=e=>pc.format(e),bt=Math,Gn=bt.PI,We=bt.abs,wt=bt.floor,Ie=bt.round,Ct=bt.ceil,Ot=bt.min,st=bt.max,Xl=bt.pow,Mi=bt.sign,Jt=bt.
log10,Xi=bt.log2,gc=(e,t=1)=>bt.sinh(e)*t,Rs=(e,t=1)=>bt.asinh(e/t),we=1/0;function Ei(e){return(Jt((e^e>>31)-(e>>31))|0)+1}function Hs(e,t,n){return Ot(st(e,t),
n)}function er(e){return typeof e=="function"}function se(e){return er(e)?e:()=>e}var wc=()=>{},tr=e=>e,lr=(e,t)=>t,bc=e=>null,Ti=e=>!0,Ci=(e,t)=>e==t,yc=/\.\d*?(?=9{6,}|0{6,})/gm,
Tl=e=>{if(or(e)||cl.has(e))return e;let t=`${e}`,n=t.match(yc);if(n==null)return e;let l=n[0].length-1;if(t.indexOf("e-")!=-1){let[s,a]=t.split("e");return+`${Tl(
s)}e${a}`}return be(e,l)};function Sl(e,t){return Tl(be(Tl(e/t))*t)}function Zn(e,t){return Tl(Ct(Tl(e/t))*t)}function nr(e,t){return Tl(wt(Tl(e/t))*t)}function be(e,t=0){
if(or(e))return e;let n=10**t,l=e*n*(1+Number.EPSILON);return Ie(l)/n}var cl=new Map;function sr(e){return((""+e).split(".")[1]||"").length}function Tn(e,t,n,l){
let s=[],a=l.map(sr);for(let c=t;c<n;c++){let i=We(c),f=be(Xl(e,c),i);for(let m=0;m<l.length;m++){let d=e==10?+`${l[m]}e${c}`:l[m]*f,g=(c>=0?0:i)+(c>=a[m]?0:a[m]),
w=e==10?d:be(d,g);s.push(w),cl.set(w,g)}}return s}var En={},to=[],en=[null,null],al=Array.isArray,or=Number.isInteger,xc=e=>e===void 0;function Ai(e){return typeof e==
"string"}function Qn(e){let t=!1;if(e!=null){let n=e.constructor;t=n==null||n==Object}return t}function _c(e){return e!=null&&typeof e=="object"}var vc=Object.getPrototypeOf(
Uint8Array),ir="__proto__";function tn(e,t=Qn){let n;if(al(e)){let l=e.find(s=>s!=null);if(al(l)||t(l)){n=Array(e.length);for(let s=0;s<e.length;s++)n[s]=tn(e[s],
t)}else n=e.slice()}else if(e instanceof vc)n=e.slice();else if(t(e)){n={};for(let l in e)l!=ir&&(n[l]=tn(e[l],t))}else n=e;return n}function Re(e){let t=arguments;
for(let n=1;n<t.length;n++){let l=t[n];for(let s in l)s!=ir&&(Qn(e[s])?Re(e[s],tn(l[s])):e[s]=tn(l[s]))}return e}var Sc=0,kc=1,Mc=2;function Ec(e,t,n){for(let l=0,
s,a=-1;l<t.length;l++){let c=t[l];if(c>a){for(s=c-1;s>=0&&e[s]==null;)e[s--]=null;for(s=c+1;s<n&&e[s]==null;)e[a=s++]=null}}}function Tc(e,t){if($c(e)){let c=e[0].
slice();for(let i=1;i<e.length;i++)c.push(...e[i].slice(1));return Lc(c[0])||(c=Ac(c)),c}let n=new Set;for(let c=0;c<e.length;c++){let f=e[c][0],m=f.length;for(let d=0;d<
m;d++)n.add(f[d])}let l=[Array.from(n).sort((c,i)=>c-i)],s=l[0].length,a=new Map;for(let c=0;c<s;c++)a.set(l[0][c],c);for(let c=0;c<e.length;c++){let i=e[c],f=i[0];
for(let m=1;m<i.length;m++){let d=i[m],g=Array(s).fill(void 0),w=t?t[c][m]:kc,T=[];for(let M=0;M<d.length;M++){let L=d[M],y=a.get(f[M]);L===null?w!=Sc&&(g[y]=L,
w==Mc&&T.push(y)):g[y]=L}Ec(g,T,s),l.push(g)}}return l}var Cc=typeof queueMicrotask>"u"?e=>Promise.resolve().then(e):queueMicrotask;function Ac(e){let t=e[0],n=t.
length,l=Array(n);for(let a=0;a<l.length;a++)l[a]=a;l.sort((a,c)=>t[a]-t[c]);let s=[];for(let a=0;a<e.length;a++){let c=e[a],i=Array(n);for(let f=0;f<n;f++)i[f]=
c[l[f]];s.push(i)}return s}function $c(e){let t=e[0][0],n=t.length;for(let l=1;l<e.length;l++){let s=e[l][0];if(s.length!=n)return!1;if(s!=t){for(let a=0;a<n;a++)
if(s[a]!=t[a])return!1}}return!0}function Lc(e,t=100){let n=e.length;if(n<=1)return!0;let l=0,s=n-1;for(;l<=s&&e[l]==null;)l++;for(;s>=l&&e[s]==null;)s--;if(s<=
l)return!0;let a=st(1,wt((s-l+1)/t));for(let c=e[l],i=l+a;i<=s;i+=a){let f=e[i];if(f!=null){if(f<=c)return!1;c=f}}return!0}var rr=["January","February","March",
"April","May","June","July","August","September","October","November","December"],ar=["Sunday","Monday","Tuesday","Wednesday","Thursday","Friday","Saturday"];function cr(e){
return e.slice(0,3)}var Nc=ar.map(cr),Dc=rr.map(cr),Pc={MMMM:rr,MMM:Dc,WWWW:ar,WWW:Nc};function _n(e){return(e<10?"0":"")+e}function Rc(e){return(e<10?"00":e<100?
"0":"")+e}var Oc={YYYY:e=>e.getFullYear(),YY:e=>(e.getFullYear()+"").slice(2),MMMM:(e,t)=>t.MMMM[e.getMonth()],MMM:(e,t)=>t.MMM[e.getMonth()],MM:e=>_n(e.getMonth()+
1),M:e=>e.getMonth()+1,DD:e=>_n(e.getDate()),D:e=>e.getDate(),WWWW:(e,t)=>t.WWWW[e.getDay()],WWW:(e,t)=>t.WWW[e.getDay()],HH:e=>_n(e.getHours()),H:e=>e.getHours(),
h:e=>{let t=e.getHours();return t==0?12:t>12?t-12:t},AA:e=>e.getHours()>=12?"PM":"AM",aa:e=>e.getHours()>=12?"pm":"am",a:e=>e.getHours()>=12?"p":"a",mm:e=>_n(e.
getMinutes()),m:e=>e.getMinutes(),ss:e=>_n(e.getSeconds()),s:e=>e.getSeconds(),fff:e=>Rc(e.getMilliseconds())};function lo(e,t){t=t||Pc;let n=[],l=/\{([a-z]+)\}|[^{]+/gi,
s;for(;s=l.exec(e);)n.push(s[0][0]=="{"?Oc[s[1]]:s[0]);return a=>{let c="";for(let i=0;i<n.length;i++)c+=typeof n[i]=="string"?n[i]:n[i](a,t);return c}}var Fc=new Intl.
DateTimeFormat().resolvedOptions().timeZone;function zc(e,t){let n;return t=="UTC"||t=="Etc/UTC"?n=new Date(+e+e.getTimezoneOffset()*6e4):t==Fc?n=e:(n=new Date(
e.toLocaleString("en-US",{timeZone:t})),n.setMilliseconds(e.getMilliseconds())),n}var ur=e=>e%1==0,Kn=[1,2,2.5,5],Ic=Tn(10,-32,0,Kn),fr=Tn(10,0,32,Kn),Wc=fr.filter(
ur),kl=Ic.concat(fr),no=`
`,hr="{YYYY}",$i=no+hr,dr="{M}/{D}",kn=no+dr,Hn=kn+"/{YY}",mr="{aa}",Bc="{h}:{mm}",Zl=Bc+mr,Li=no+Zl,Ni=":{ss}",he=null;function pr(e){let t=e*1e3,n=t*60,l=n*60,
s=l*24,a=s*30,c=s*365,f=(e==1?Tn(10,0,3,Kn).filter(ur):Tn(10,-3,0,Kn)).concat([t,t*5,t*10,t*15,t*30,n,n*5,n*10,n*15,n*30,l,l*2,l*3,l*4,l*6,l*8,l*12,s,s*2,s*3,s*
4,s*5,s*6,s*7,s*8,s*9,s*10,s*15,a,a*2,a*3,a*4,a*6,c,c*2,c*5,c*10,c*25,c*50,c*100]),m=[[c,hr,he,he,he,he,he,he,1],[s*28,"{MMM}",$i,he,he,he,he,he,1],[s,dr,$i,he,
he,he,he,he,1],[l,"{h}"+mr,Hn,he,kn,he,he,he,1],[n,Zl,Hn,he,kn,he,he,he,1],[t,Ni,Hn+" "+Zl,he,kn+" "+Zl,he,Li,he,1],[e,Ni+".{fff}",Hn+" "+Zl,he,kn+" "+Zl,he,Li,
he,1]];function d(g){return(w,T,M,L,y,O)=>{let _=[],C=y>=c,S=y>=a&&y<c,K=g(M),$=be(K*e,3),j=Os(K.getFullYear(),C?0:K.getMonth(),S||C?1:K.getDate()),G=be(j*e,3);
if(S||C){let Z=S?y/a:0,J=C?y/c:0,A=$==G?$:be(Os(j.getFullYear()+J,j.getMonth()+Z,1)*e,3),X=new Date(Ie(A/e)),F=X.getFullYear(),q=X.getMonth();for(let H=0;A<=L;H++){
let oe=Os(F+J*H,q+Z*H,1),B=oe-g(be(oe*e,3));A=be((+oe+B)*e,3),A<=L&&_.push(A)}}else{let Z=y>=s?s:y,J=wt(M)-wt($),A=G+J+Zn($-G,Z);_.push(A);let X=g(A),F=X.getHours()+
X.getMinutes()/n+X.getSeconds()/l,q=y/l,H=w.axes[T]._space,oe=O/H;for(;A=be(A+y,e==1?0:3),!(A>L);)if(q>1){let B=wt(be(F+q,6))%24,ie=g(A).getHours()-B;ie>1&&(ie=
-1),A-=ie*l,F=(F+q)%24;let de=_[_.length-1];be((A-de)/y,3)*oe>=.7&&_.push(A)}else _.push(A)}return _}}return[f,m,d]}var[Vc,Hc,Yc]=pr(1),[Gc,qc,Uc]=pr(.001);Tn(2,
-53,53,[1]);function Di(e,t){return e.map(n=>n.map((l,s)=>s==0||s==8||l==null?l:t(s==1||n[8]==0?l:n[1]+l)))}function Pi(e,t){return(n,l,s,a,c)=>{let i=t.find(M=>c>=
M[0])||t[t.length-1],f,m,d,g,w,T;return l.map(M=>{let L=e(M),y=L.getFullYear(),O=L.getMonth(),_=L.getDate(),C=L.getHours(),S=L.getMinutes(),K=L.getSeconds(),$=y!=
f&&i[2]||O!=m&&i[3]||_!=d&&i[4]||C!=g&&i[5]||S!=w&&i[6]||K!=T&&i[7]||i[1];return f=y,m=O,d=_,g=C,w=S,T=K,$(L)})}}function Kc(e,t){let n=lo(t);return(l,s,a,c,i)=>s.
map(f=>n(e(f)))}function Os(e,t,n){return new Date(e,t,n)}function Ri(e,t){return t(e)}var jc="{YYYY}-{MM}-{DD} {h}:{mm}{aa}";function Oi(e,t){return(n,l,s,a)=>a==
null?Js:t(e(l))}function Jc(e,t){let n=e.series[t];return n.width?n.stroke(e,t):n.points.width?n.points.stroke(e,t):null}function Zc(e,t){return e.series[t].fill(
e,t)}var Qc={show:!0,live:!0,isolate:!1,mount:wc,markers:{show:!0,width:2,stroke:Jc,fill:Zc,dash:"solid"},idx:null,idxs:null,values:[]};function Xc(e,t){let n=e.
cursor.points,l=Tt(),s=n.size(e,t);ke(l,vn,s),ke(l,Sn,s);let a=s/-2;ke(l,"marginLeft",a),ke(l,"marginTop",a);let c=n.width(e,t,s);return c&&ke(l,"borderWidth",c),
l}function eu(e,t){let n=e.series[t].points;return n._fill||n._stroke}function tu(e,t){let n=e.series[t].points;return n._stroke||n._fill}function lu(e,t){return e.
series[t].points.size}var Fs=[0,0];function nu(e,t,n){return Fs[0]=t,Fs[1]=n,Fs}function Yn(e,t,n,l=!0){return s=>{s.button==0&&(!l||s.target==t)&&n(s)}}function zs(e,t,n,l=!0){
return s=>{(!l||s.target==t)&&n(s)}}var su={show:!0,x:!0,y:!0,lock:!1,move:nu,points:{one:!1,show:Xc,size:lu,width:0,stroke:tu,fill:eu},bind:{mousedown:Yn,mouseup:Yn,
click:Yn,dblclick:Yn,mousemove:zs,mouseleave:zs,mouseenter:zs},drag:{setScale:!0,x:!0,y:!1,dist:0,uni:null,click:(e,t)=>{t.stopPropagation(),t.stopImmediatePropagation()},
_x:!1,_y:!1},focus:{dist:(e,t,n,l,s)=>l-s,prox:-1,bias:0},hover:{skip:[void 0],prox:null,bias:0},left:-10,top:-10,idx:null,dataIdx:null,idxs:null,event:null},gr={
show:!0,stroke:"rgba(0,0,0,0.07)",width:2},so=Re({},gr,{filter:lr}),wr=Re({},so,{size:10}),br=Re({},gr,{show:!1}),oo='12px system-ui, -apple-system, "Segoe UI",\
 Roboto, "Helvetica Neue", Arial, "Noto Sans", sans-serif, "Apple Color Emoji", "Segoe UI Emoji", "Segoe UI Symbol", "Noto Color Emoji"',yr="bold "+oo,xr=1.5,Fi={
show:!0,scale:"x",stroke:js,space:50,gap:5,alignTo:1,size:50,labelGap:0,labelSize:30,labelFont:yr,side:2,grid:so,ticks:wr,border:br,font:oo,lineGap:xr,rotate:0},
ou="Value",iu="Time",zi={show:!0,scale:"x",auto:!1,sorted:1,min:we,max:-we,idxs:[]};function ru(e,t,n,l,s){return t.map(a=>a==null?"":eo(a))}function au(e,t,n,l,s,a,c){
let i=[],f=cl.get(s)||0;n=c?n:be(Zn(n,s),f);for(let m=n;m<=l;m=be(m+s,f))i.push(Object.is(m,-0)?0:m);return i}function Ys(e,t,n,l,s,a,c){let i=[],f=e.scales[e.axes[t].
scale].log,m=f==10?Jt:Xi,d=wt(m(n));s=Xl(f,d),f==10&&(s=kl[Rt(s,kl)]);let g=n,w=s*f;f==10&&(w=kl[Rt(w,kl)]);do i.push(g),g=g+s,f==10&&!cl.has(g)&&(g=be(g,cl.get(
s))),g>=w&&(s=g,w=s*f,f==10&&(w=kl[Rt(w,kl)]));while(g<=l);return i}function cu(e,t,n,l,s,a,c){let f=e.scales[e.axes[t].scale].asinh,m=l>f?Ys(e,t,st(f,n),l,s):[
f],d=l>=0&&n<=0?[0]:[];return(n<-f?Ys(e,t,st(f,-l),-n,s):[f]).reverse().map(w=>-w).concat(d,m)}var _r=/./,uu=/[12357]/,fu=/[125]/,Ii=/1/,Gs=(e,t,n,l)=>e.map((s,a)=>t==
4&&s==0||a%l==0&&n.test(s.toExponential()[s<0?1:0])?s:null);function hu(e,t,n,l,s){let a=e.axes[n],c=a.scale,i=e.scales[c],f=e.valToPos,m=a._space,d=f(10,c),g=f(
9,c)-d>=m?_r:f(7,c)-d>=m?uu:f(5,c)-d>=m?fu:Ii;if(g==Ii){let w=We(f(1,c)-d);if(w<m)return Gs(t.slice().reverse(),i.distr,g,Ct(m/w)).reverse()}return Gs(t,i.distr,
g,1)}function du(e,t,n,l,s){let a=e.axes[n],c=a.scale,i=a._space,f=e.valToPos,m=We(f(1,c)-f(2,c));return m<i?Gs(t.slice().reverse(),3,_r,Ct(i/m)).reverse():t}function mu(e,t,n,l){
return l==null?Js:t==null?"":eo(t)}var Wi={show:!0,scale:"y",stroke:js,space:30,gap:5,alignTo:1,size:50,labelGap:0,labelSize:30,labelFont:yr,side:3,grid:so,ticks:wr,
border:br,font:oo,lineGap:xr,rotate:0};function pu(e,t){let n=3+(e||1)*2;return be(n*t,3)}function gu(e,t){let{scale:n,idxs:l}=e.series[0],s=e._data[0],a=e.valToPos(
s[l[0]],n,!0),c=e.valToPos(s[l[1]],n,!0),i=We(c-a),f=e.series[t],m=i/(f.points.space*ue);return l[1]-l[0]<=m}var Bi={scale:null,auto:!0,sorted:0,min:we,max:-we},
vr=(e,t,n,l,s)=>s,Vi={show:!0,auto:!0,sorted:0,gaps:vr,alpha:1,facets:[Re({},Bi,{scale:"x"}),Re({},Bi,{scale:"y"})]},Hi={scale:"y",auto:!0,sorted:0,show:!0,spanGaps:!1,
gaps:vr,alpha:1,points:{show:gu,filter:null},values:null,min:we,max:-we,idxs:[],path:null,clip:null};function wu(e,t,n,l,s){return n/10}var Sr={time:!0,auto:!0,
distr:1,log:10,asinh:1,min:null,max:null,dir:1,ori:0},bu=Re({},Sr,{time:!1,ori:1}),Yi={};function kr(e,t){let n=Yi[e];return n||(n={key:e,plots:[],sub(l){n.plots.
push(l)},unsub(l){n.plots=n.plots.filter(s=>s!=l)},pub(l,s,a,c,i,f,m){for(let d=0;d<n.plots.length;d++)n.plots[d]!=s&&n.plots[d].pub(l,s,a,c,i,f,m)}},e!=null&&(Yi[e]=
n)),n}var ln=1,qs=2;function Cl(e,t,n){let l=e.mode,s=e.series[t],a=l==2?e._data[t]:e._data,c=e.scales,i=e.bbox,f=a[0],m=l==2?a[1]:a[t],d=l==2?c[s.facets[0].scale]:
c[e.series[0].scale],g=l==2?c[s.facets[1].scale]:c[s.scale],w=i.left,T=i.top,M=i.width,L=i.height,y=e.valToPosH,O=e.valToPosV;return d.ori==0?n(s,f,m,d,g,y,O,w,
T,M,L,es,sn,ls,Er,Cr):n(s,f,m,d,g,O,y,T,w,L,M,ts,on,ao,Tr,Ar)}function io(e,t){let n=0,l=0,s=ae(e.bands,to);for(let a=0;a<s.length;a++){let c=s[a];c.series[0]==
t?n=c.dir:c.series[1]==t&&(c.dir==1?l|=1:l|=2)}return[n,l==1?-1:l==2?1:l==3?2:0]}function yu(e,t,n,l,s){let a=e.mode,c=e.series[t],i=a==2?c.facets[1].scale:c.scale,
f=e.scales[i];return s==-1?f.min:s==1?f.max:f.distr==3?f.dir==1?f.min:f.max:0}function Zt(e,t,n,l,s,a){return Cl(e,t,(c,i,f,m,d,g,w,T,M,L,y)=>{let O=c.pxRound,_=m.
dir*(m.ori==0?1:-1),C=m.ori==0?sn:on,S,K;_==1?(S=n,K=l):(S=l,K=n);let $=O(g(i[S],m,L,T)),j=O(w(f[S],d,y,M)),G=O(g(i[K],m,L,T)),Z=O(w(a==1?d.max:d.min,d,y,M)),J=new Path2D(
s);return C(J,G,Z),C(J,$,Z),C(J,$,j),J})}function Xn(e,t,n,l,s,a){let c=null;if(e.length>0){c=new Path2D;let i=t==0?ls:ao,f=n;for(let g=0;g<e.length;g++){let w=e[g];
if(w[1]>w[0]){let T=w[0]-f;T>0&&i(c,f,l,T,l+a),f=w[1]}}let m=n+s-f,d=10;m>0&&i(c,f,l-d/2,m,l+a+d)}return c}function xu(e,t,n){let l=e[e.length-1];l&&l[0]==t?l[1]=
n:e.push([t,n])}function ro(e,t,n,l,s,a,c){let i=[],f=e.length;for(let m=s==1?n:l;m>=n&&m<=l;m+=s)if(t[m]===null){let g=m,w=m;if(s==1)for(;++m<=l&&t[m]===null;)
w=m;else for(;--m>=n&&t[m]===null;)w=m;let T=a(e[g]),M=w==g?T:a(e[w]),L=g-s;T=c<=0&&L>=0&&L<f?a(e[L]):T;let O=w+s;M=c>=0&&O>=0&&O<f?a(e[O]):M,M>=T&&i.push([T,M])}
return i}function Gi(e){return e==0?tr:e==1?Ie:t=>Sl(t,e)}function Mr(e){let t=e==0?es:ts,n=e==0?(s,a,c,i,f,m)=>{s.arcTo(a,c,i,f,m)}:(s,a,c,i,f,m)=>{s.arcTo(c,a,
f,i,m)},l=e==0?(s,a,c,i,f)=>{s.rect(a,c,i,f)}:(s,a,c,i,f)=>{s.rect(c,a,f,i)};return(s,a,c,i,f,m=0,d=0)=>{m==0&&d==0?l(s,a,c,i,f):(m=Ot(m,i/2,f/2),d=Ot(d,i/2,f/2),
t(s,a+m,c),n(s,a+i,c,a+i,c+f,m),n(s,a+i,c+f,a,c+f,d),n(s,a,c+f,a,c,d),n(s,a,c,a+i,c,m),s.closePath())}}var es=(e,t,n)=>{e.moveTo(t,n)},ts=(e,t,n)=>{e.moveTo(n,t)},
sn=(e,t,n)=>{e.lineTo(t,n)},on=(e,t,n)=>{e.lineTo(n,t)},ls=Mr(0),ao=Mr(1),Er=(e,t,n,l,s,a)=>{e.arc(t,n,l,s,a)},Tr=(e,t,n,l,s,a)=>{e.arc(n,t,l,s,a)},Cr=(e,t,n,l,s,a,c)=>{
e.bezierCurveTo(t,n,l,s,a,c)},Ar=(e,t,n,l,s,a,c)=>{e.bezierCurveTo(n,t,s,l,c,a)};function $r(e){return(t,n,l,s,a)=>Cl(t,n,(c,i,f,m,d,g,w,T,M,L,y)=>{let{pxRound:O,
points:_}=c,C,S;m.ori==0?(C=es,S=Er):(C=ts,S=Tr);let K=be(_.width*ue,3),$=(_.size-_.width)/2*ue,j=be($*2,3),G=new Path2D,Z=new Path2D,{left:J,top:A,width:X,height:F}=t.
bbox;ls(Z,J-j,A-j,X+j*2,F+j*2);let q=H=>{if(f[H]!=null){let oe=O(g(i[H],m,L,T)),B=O(w(f[H],d,y,M));C(G,oe+$,B),S(G,oe,B,$,0,Gn*2)}};if(a)a.forEach(q);else for(let H=l;H<=
s;H++)q(H);return{stroke:K>0?G:null,fill:G,clip:Z,flags:ln|qs}})}function Lr(e){return(t,n,l,s,a,c)=>{l!=s&&(a!=l&&c!=l&&e(t,n,l),a!=s&&c!=s&&e(t,n,s),e(t,n,c))}}
var _u=Lr(sn),vu=Lr(on);function Nr(e){let t=ae(e?.alignGaps,0);return(n,l,s,a)=>Cl(n,l,(c,i,f,m,d,g,w,T,M,L,y)=>{[s,a]=jn(f,s,a);let O=c.pxRound,_=F=>O(g(F,m,L,
T)),C=F=>O(w(F,d,y,M)),S,K;m.ori==0?(S=sn,K=_u):(S=on,K=vu);let $=m.dir*(m.ori==0?1:-1),j={stroke:new Path2D,fill:null,clip:null,band:null,gaps:null,flags:ln},G=j.
stroke,Z=!1;if(a-s>=L*4){let F=z=>n.posToVal(z,m.key,!0),q=null,H=null,oe,B,rt,Me=_(i[$==1?s:a]),ie=_(i[s]),de=_(i[a]),le=F($==1?ie+1:de-1);for(let z=$==1?s:a;z>=
s&&z<=a;z+=$){let Oe=i[z],Ee=($==1?Oe<le:Oe>le)?Me:_(Oe),fe=f[z];Ee==Me?fe!=null?(B=fe,q==null?(S(G,Ee,C(B)),oe=q=H=B):B<q?q=B:B>H&&(H=B)):fe===null&&(Z=!0):(q!=
null&&K(G,Me,C(q),C(H),C(oe),C(B)),fe!=null?(B=fe,S(G,Ee,C(B)),q=H=oe=B):(q=H=null,fe===null&&(Z=!0)),Me=Ee,le=F(Me+$))}q!=null&&q!=H&&rt!=Me&&K(G,Me,C(q),C(H),
C(oe),C(B))}else for(let F=$==1?s:a;F>=s&&F<=a;F+=$){let q=f[F];q===null?Z=!0:q!=null&&S(G,_(i[F]),C(q))}let[A,X]=io(n,l);if(c.fill!=null||A!=0){let F=j.fill=new Path2D(
G),q=c.fillTo(n,l,c.min,c.max,A),H=C(q),oe=_(i[s]),B=_(i[a]);$==-1&&([B,oe]=[oe,B]),S(F,B,H),S(F,oe,H)}if(!c.spanGaps){let F=[];Z&&F.push(...ro(i,f,s,a,$,_,t)),
j.gaps=F=c.gaps(n,l,s,a,F),j.clip=Xn(F,m.ori,T,M,L,y)}return X!=0&&(j.band=X==2?[Zt(n,l,s,a,G,-1),Zt(n,l,s,a,G,1)]:Zt(n,l,s,a,G,X)),j})}function Su(e){let t=ae(
e.align,1),n=ae(e.ascDesc,!1),l=ae(e.alignGaps,0),s=ae(e.extend,!1);return(a,c,i,f)=>Cl(a,c,(m,d,g,w,T,M,L,y,O,_,C)=>{[i,f]=jn(g,i,f);let S=m.pxRound,{left:K,width:$}=a.
bbox,j=ie=>S(M(ie,w,_,y)),G=ie=>S(L(ie,T,C,O)),Z=w.ori==0?sn:on,J={stroke:new Path2D,fill:null,clip:null,band:null,gaps:null,flags:ln},A=J.stroke,X=w.dir*(w.ori==
0?1:-1),F=G(g[X==1?i:f]),q=j(d[X==1?i:f]),H=q,oe=q;s&&t==-1&&(oe=K,Z(A,oe,F)),Z(A,q,F);for(let ie=X==1?i:f;ie>=i&&ie<=f;ie+=X){let de=g[ie];if(de==null)continue;
let le=j(d[ie]),z=G(de);t==1?Z(A,le,F):Z(A,H,z),Z(A,le,z),F=z,H=le}let B=H;s&&t==1&&(B=K+$,Z(A,B,F));let[rt,Me]=io(a,c);if(m.fill!=null||rt!=0){let ie=J.fill=new Path2D(
A),de=m.fillTo(a,c,m.min,m.max,rt),le=G(de);Z(ie,B,le),Z(ie,oe,le)}if(!m.spanGaps){let ie=[];ie.push(...ro(d,g,i,f,X,j,l));let de=m.width*ue/2,le=n||t==1?de:-de,
z=n||t==-1?-de:de;ie.forEach(Oe=>{Oe[0]+=le,Oe[1]+=z}),J.gaps=ie=m.gaps(a,c,i,f,ie),J.clip=Xn(ie,w.ori,y,O,_,C)}return Me!=0&&(J.band=Me==2?[Zt(a,c,i,f,A,-1),Zt(
a,c,i,f,A,1)]:Zt(a,c,i,f,A,Me)),J})}function qi(e,t,n,l,s,a,c=we){if(e.length>1){let i=null;for(let f=0,m=1/0;f<e.length;f++)if(t[f]!==void 0){if(i!=null){let d=We(
e[f]-e[i]);d<m&&(m=d,c=We(n(e[f],l,s,a)-n(e[i],l,s,a)))}i=f}}return c}function ku(e){e=e||En;let t=ae(e.size,[.6,we,1]),n=e.align||0,l=e.gap||0,s=e.radius;s=s==
null?[0,0]:typeof s=="number"?[s,0]:s;let a=se(s),c=1-t[0],i=ae(t[1],we),f=ae(t[2],1),m=ae(e.disp,En),d=ae(e.each,T=>{}),{fill:g,stroke:w}=m;return(T,M,L,y)=>Cl(
T,M,(O,_,C,S,K,$,j,G,Z,J,A)=>{let X=O.pxRound,F=n,q=l*ue,H=i*ue,oe=f*ue,B,rt;S.ori==0?[B,rt]=a(T,M):[rt,B]=a(T,M);let Me=S.dir*(S.ori==0?1:-1),ie=S.ori==0?ls:ao,
de=S.ori==0?d:(P,ye,Fe,Pl,dl,zt,ml)=>{d(P,ye,Fe,dl,Pl,ml,zt)},le=ae(T.bands,to).find(P=>P.series[0]==M),z=le!=null?le.dir:0,Oe=O.fillTo(T,M,O.min,O.max,z),Xe=X(
j(Oe,K,A,Z)),Ee,fe,At,ft=J,Ce=X(O.width*ue),Ft=!1,qt=null,xt=null,el=null,Ll=null;g!=null&&(Ce==0||w!=null)&&(Ft=!0,qt=g.values(T,M,L,y),xt=new Map,new Set(qt).
forEach(P=>{P!=null&&xt.set(P,new Path2D)}),Ce>0&&(el=w.values(T,M,L,y),Ll=new Map,new Set(el).forEach(P=>{P!=null&&Ll.set(P,new Path2D)})));let{x0:Nl,size:cn}=m;
if(Nl!=null&&cn!=null){F=1,_=Nl.values(T,M,L,y),Nl.unit==2&&(_=_.map(Fe=>T.posToVal(G+Fe*J,S.key,!0)));let P=cn.values(T,M,L,y);cn.unit==2?fe=P[0]*J:fe=$(P[0],S,
J,G)-$(0,S,J,G),ft=qi(_,C,$,S,J,G,ft),At=ft-fe+q}else ft=qi(_,C,$,S,J,G,ft),At=ft*c+q,fe=ft-At;At<1&&(At=0),Ce>=fe/2&&(Ce=0),At<5&&(X=tr);let An=At>0,fl=ft-At-(An?
Ce:0);fe=X(Hs(fl,oe,H)),Ee=(F==0?fe/2:F==Me?0:fe)-F*Me*((F==0?q/2:0)+(An?Ce/2:0));let et={stroke:null,fill:null,clip:null,band:null,gaps:null,flags:0},Dl=Ft?null:
new Path2D,Ut=null;if(le!=null)Ut=T.data[le.series[1]];else{let{y0:P,y1:ye}=m;P!=null&&ye!=null&&(C=ye.values(T,M,L,y),Ut=P.values(T,M,L,y))}let hl=B*fe,Q=rt*fe;
for(let P=Me==1?L:y;P>=L&&P<=y;P+=Me){let ye=C[P];if(ye==null)continue;if(Ut!=null){let at=Ut[P]??0;if(ye-at==0)continue;Xe=j(at,K,A,Z)}let Fe=S.distr!=2||m!=null?
_[P]:P,Pl=$(Fe,S,J,G),dl=j(ae(ye,Oe),K,A,Z),zt=X(Pl-Ee),ml=X(st(dl,Xe)),ht=X(Ot(dl,Xe)),_t=ml-ht;if(ye!=null){let at=ye<0?Q:hl,$t=ye<0?hl:Q;Ft?(Ce>0&&el[P]!=null&&
ie(Ll.get(el[P]),zt,ht+wt(Ce/2),fe,st(0,_t-Ce),at,$t),qt[P]!=null&&ie(xt.get(qt[P]),zt,ht+wt(Ce/2),fe,st(0,_t-Ce),at,$t)):ie(Dl,zt,ht+wt(Ce/2),fe,st(0,_t-Ce),at,
$t),de(T,M,P,zt-Ce/2,ht,fe+Ce,_t)}}return Ce>0?et.stroke=Ft?Ll:Dl:Ft||(et._fill=O.width==0?O._fill:O._stroke??O._fill,et.width=0),et.fill=Ft?xt:Dl,et})}function Mu(e,t){
let n=ae(t?.alignGaps,0);return(l,s,a,c)=>Cl(l,s,(i,f,m,d,g,w,T,M,L,y,O)=>{[a,c]=jn(m,a,c);let _=i.pxRound,C=B=>_(w(B,d,y,M)),S=B=>_(T(B,g,O,L)),K,$,j;d.ori==0?
(K=es,j=sn,$=Cr):(K=ts,j=on,$=Ar);let G=d.dir*(d.ori==0?1:-1),Z=C(f[G==1?a:c]),J=Z,A=[],X=[];for(let B=G==1?a:c;B>=a&&B<=c;B+=G)if(m[B]!=null){let Me=f[B],ie=C(
Me);A.push(J=ie),X.push(S(m[B]))}let F={stroke:e(A,X,K,j,$,_),fill:null,clip:null,band:null,gaps:null,flags:ln},q=F.stroke,[H,oe]=io(l,s);if(i.fill!=null||H!=0){
let B=F.fill=new Path2D(q),rt=i.fillTo(l,s,i.min,i.max,H),Me=S(rt);j(B,J,Me),j(B,Z,Me)}if(!i.spanGaps){let B=[];B.push(...ro(f,m,a,c,G,C,n)),F.gaps=B=i.gaps(l,s,
a,c,B),F.clip=Xn(B,d.ori,M,L,y,O)}return oe!=0&&(F.band=oe==2?[Zt(l,s,a,c,q,-1),Zt(l,s,a,c,q,1)]:Zt(l,s,a,c,q,oe)),F})}function Eu(e){return Mu(Tu,e)}function Tu(e,t,n,l,s,a){
let c=e.length;if(c<2)return null;let i=new Path2D;if(n(i,e[0],t[0]),c==2)l(i,e[1],t[1]);else{let f=Array(c),m=Array(c-1),d=Array(c-1),g=Array(c-1);for(let w=0;w<
c-1;w++)d[w]=t[w+1]-t[w],g[w]=e[w+1]-e[w],m[w]=d[w]/g[w];f[0]=m[0];for(let w=1;w<c-1;w++)m[w]===0||m[w-1]===0||m[w-1]>0!=m[w]>0?f[w]=0:(f[w]=3*(g[w-1]+g[w])/((2*
g[w]+g[w-1])/m[w-1]+(g[w]+2*g[w-1])/m[w]),isFinite(f[w])||(f[w]=0));f[c-1]=m[c-2];for(let w=0;w<c-1;w++)s(i,e[w]+g[w]/3,t[w]+f[w]*g[w]/3,e[w+1]-g[w]/3,t[w+1]-f[w+
1]*g[w]/3,e[w+1],t[w+1])}return i}var Us=new Set;function Ui(){for(let e of Us)e.syncRect(!0)}nn&&(El(rc,Ql,Ui),El(ac,Ql,Ui,!0),El(qn,Ql,()=>{Ze.pxRatio=ue}));var Cu=Nr(),
Au=$r();function Ki(e,t,n,l){return(l?[e[0],e[1]].concat(e.slice(2)):[e[0]].concat(e.slice(1))).map((a,c)=>Ks(a,c,t,n))}function $u(e,t){return e.map((n,l)=>l==
0?{}:Re({},t,n))}function Ks(e,t,n,l){return Re({},t==0?n:l,e)}function Dr(e,t,n){return t==null?en:[t,n]}var Lu=Dr;function Nu(e,t,n){return t==null?en:Un(t,n,
Xs,!0)}function Pr(e,t,n,l){return t==null?en:Jn(t,n,e.scales[l].log,!1)}var Du=Pr;function Rr(e,t,n,l){return t==null?en:Qs(t,n,e.scales[l].log,!1)}var Pu=Rr;function Ru(e,t,n,l,s){
let a=st(Ei(e),Ei(t)),c=t-e,i=Rt(s/l*c,n);do{let f=n[i],m=l*f/c;if(m>=s&&a+(f<5?cl.get(f):0)<=17)return[f,m]}while(++i<n.length);return[0,0]}function ji(e){let t,
n;return e=e.replace(/(\d+)px/,(l,s)=>(t=Ie((n=+s)*ue))+"px"),[e,t,n]}function Ou(e){e.show&&[e.font,e.labelFont].forEach(t=>{let n=be(t[2]*ue,1);t[0]=t[0].replace(
/[0-9.]+px/,n+"px"),t[1]=n})}function Ze(e,t,n){let l={mode:ae(e.mode,1)},s=l.mode;function a(o,r,u,h){let p=r.valToPct(o);return h+u*(r.dir==-1?1-p:p)}function c(o,r,u,h){
let p=r.valToPct(o);return h+u*(r.dir==-1?p:1-p)}function i(o,r,u,h){return r.ori==0?a(o,r,u,h):c(o,r,u,h)}l.valToPosH=a,l.valToPosV=c;let f=!1;l.status=0;let m=l.
root=Tt(Ha);if(e.id!=null&&(m.id=e.id),gt(m,e.class),e.title){let o=Tt(qa,m);o.textContent=e.title}let d=Pt("canvas"),g=l.ctx=d.getContext("2d"),w=Tt(Ua,m);El("\
click",w,o=>{o.target===M&&(_e!=Gl||Te!=ql)&&je.click(l,o)},!0);let T=l.under=Tt(Ka,w);w.appendChild(d);let M=l.over=Tt(ja,w);e=tn(e);let L=+ae(e.pxAlign,1),y=Gi(
L);(e.plugins||[]).forEach(o=>{o.opts&&(e=o.opts(l,e)||e)});let O=e.ms||.001,_=l.series=s==1?Ki(e.series||[],zi,Hi,!1):$u(e.series||[null],Vi),C=l.axes=Ki(e.axes||
[],Fi,Wi,!0),S=l.scales={},K=l.bands=e.bands||[];K.forEach(o=>{o.fill=se(o.fill||null),o.dir=ae(o.dir,-1)});let $=s==2?_[1].facets[0].scale:_[0].scale,j={axes:ba,
series:da},G=(e.drawOrder||["axes","series"]).map(o=>j[o]);function Z(o){let r=o.distr==3?u=>Jt(u>0?u:o.clamp(l,u,o.min,o.max,o.key)):o.distr==4?u=>Rs(u,o.asinh):
o.distr==100?u=>o.fwd(u):u=>u;return u=>{let h=r(u),{_min:p,_max:b}=o,v=b-p;return(h-p)/v}}function J(o){let r=S[o];if(r==null){let u=(e.scales||En)[o]||En;if(u.
from!=null){J(u.from);let h=Re({},S[u.from],u,{key:o});h.valToPct=Z(h),S[o]=h}else{r=S[o]=Re({},o==$?Sr:bu,u),r.key=o;let h=r.time,p=r.range,b=al(p);if((o!=$||s==
2&&!h)&&(b&&(p[0]==null||p[1]==null)&&(p={min:p[0]==null?Si:{mode:1,hard:p[0],soft:p[0]},max:p[1]==null?Si:{mode:1,hard:p[1],soft:p[1]}},b=!1),!b&&Qn(p))){let v=p;
p=(k,E,N)=>E==null?en:Un(E,N,v)}r.range=se(p||(h?Lu:o==$?r.distr==3?Du:r.distr==4?Pu:Dr:r.distr==3?Pr:r.distr==4?Rr:Nu)),r.auto=se(b?!1:r.auto),r.clamp=se(r.clamp||
wu),r._min=r._max=null,r.valToPct=Z(r)}}}J("x"),J("y"),s==1&&_.forEach(o=>{J(o.scale)}),C.forEach(o=>{J(o.scale)});for(let o in e.scales)J(o);let A=S[$],X=A.distr,
F,q;A.ori==0?(gt(m,Ya),F=a,q=c):(gt(m,Ga),F=c,q=a);let H={};for(let o in S){let r=S[o];(r.min!=null||r.max!=null)&&(H[o]={min:r.min,max:r.max},r.min=r.max=null)}
let oe=e.tzDate||(o=>new Date(Ie(o/O))),B=e.fmtDate||lo,rt=O==1?Yc(oe):Uc(oe),Me=Pi(oe,Di(O==1?Hc:qc,B)),ie=Oi(oe,Ri(jc,B)),de=[],le=l.legend=Re({},Qc,e.legend),
z=l.cursor=Re({},su,{drag:{y:s==2}},e.cursor),Oe=le.show,Xe=z.show,Ee=le.markers;le.idxs=de,Ee.width=se(Ee.width),Ee.dash=se(Ee.dash),Ee.stroke=se(Ee.stroke),Ee.
fill=se(Ee.fill);let fe,At,ft,Ce=[],Ft=[],qt,xt=!1,el={};if(le.live){let o=_[1]?_[1].values:null;xt=o!=null,qt=xt?o(l,1,0):{_:0};for(let r in qt)el[r]=Js}if(Oe)
if(fe=Pt("table",tc,m),ft=Pt("tbody",null,fe),le.mount(l,fe),xt){At=Pt("thead",null,fe,ft);let o=Pt("tr",null,At);Pt("th",null,o);for(var Ll in qt)Pt("th",ui,o).
textContent=Ll}else gt(fe,nc),le.live&&gt(fe,lc);let Nl={show:!0},cn={show:!1};function An(o,r){if(r==0&&(xt||!le.live||s==2))return en;let u=[],h=Pt("tr",sc,ft,
ft.childNodes[r]);gt(h,o.class),o.show||gt(h,Ml);let p=Pt("th",null,h);if(Ee.show){let k=Tt(oc,p);if(r>0){let E=Ee.width(l,r);E&&(k.style.border=E+"px "+Ee.dash(
l,r)+" "+Ee.stroke(l,r)),k.style.background=Ee.fill(l,r)}}let b=Tt(ui,p);o.label instanceof HTMLElement?b.appendChild(o.label):b.textContent=o.label,r>0&&(Ee.show||
(b.style.color=o.width>0?Ee.stroke(l,r):Ee.fill(l,r)),et("click",p,k=>{if(z._lock)return;gl(k);let E=_.indexOf(o);if((k.ctrlKey||k.metaKey)!=le.isolate){let N=_.
some((D,R)=>R>0&&R!=E&&D.show);_.forEach((D,R)=>{R>0&&Wt(R,N?R==E?Nl:cn:Nl,!0,Pe.setSeries)})}else Wt(E,{show:!o.show},!0,Pe.setSeries)},!1),Ol&&et(mi,p,k=>{z._lock||
(gl(k),Wt(_.indexOf(o),Kl,!0,Pe.setSeries))},!1));for(var v in qt){let k=Pt("td",ic,h);k.textContent="--",u.push(k)}return[h,u]}let fl=new Map;function et(o,r,u,h=!0){
let p=fl.get(r)||{},b=z.bind[o](l,r,u,h);b&&(El(o,r,p[o]=b),fl.set(r,p))}function Dl(o,r,u){let h=fl.get(r)||{};for(let p in h)(o==null||p==o)&&(Vs(p,r,h[p]),delete h[p]);
o==null&&fl.delete(r)}let Ut=0,hl=0,Q=0,P=0,ye=0,Fe=0,Pl=ye,dl=Fe,zt=Q,ml=P,ht=0,_t=0,at=0,$t=0;l.bbox={};let rs=!1,$n=!1,Rl=!1,pl=!1,Ln=!1,vt=!1;function as(o,r,u){
(u||o!=l.width||r!=l.height)&&yo(o,r),Bl(!1),Rl=!0,$n=!0,Vl()}function yo(o,r){l.width=Ut=Q=o,l.height=hl=P=r,ye=Fe=0,ia(),ra();let u=l.bbox;ht=u.left=Sl(ye*ue,
.5),_t=u.top=Sl(Fe*ue,.5),at=u.width=Sl(Q*ue,.5),$t=u.height=Sl(P*ue,.5)}let na=3;function sa(){let o=!1,r=0;for(;!o;){r++;let u=ga(r),h=wa(r);o=r==na||u&&h,o||
(yo(l.width,l.height),$n=!0)}}function oa({width:o,height:r}){as(o,r)}l.setSize=oa;function ia(){let o=!1,r=!1,u=!1,h=!1;C.forEach((p,b)=>{if(p.show&&p._show){let{
side:v,_size:k}=p,E=v%2,N=p.label!=null?p.labelSize:0,D=k+N;D>0&&(E?(Q-=D,v==3?(ye+=D,h=!0):u=!0):(P-=D,v==0?(Fe+=D,o=!0):r=!0))}}),wl[0]=o,wl[1]=u,wl[2]=r,wl[3]=
h,Q-=tl[1]+tl[3],ye+=tl[3],P-=tl[2]+tl[0],Fe+=tl[0]}function ra(){let o=ye+Q,r=Fe+P,u=ye,h=Fe;function p(b,v){switch(b){case 1:return o+=v,o-v;case 2:return r+=
v,r-v;case 3:return u-=v,u+v;case 0:return h-=v,h+v}}C.forEach((b,v)=>{if(b.show&&b._show){let k=b.side;b._pos=p(k,b._size),b.label!=null&&(b._lpos=p(k,b.labelSize))}})}
if(z.dataIdx==null){let o=z.hover,r=o.skip=new Set(o.skip??[]);r.add(void 0);let u=o.prox=se(o.prox),h=o.bias??=0;z.dataIdx=(p,b,v,k)=>{if(b==0)return v;let E=v,
N=u(p,b,v,k)??we,D=N>=0&&N<we,R=A.ori==0?Q:P,U=z.left,ce=t[0],re=t[b];if(r.has(re[v])){E=null;let ne=null,Y=null,I;if(h==0||h==-1)for(I=v;ne==null&&I-- >0;)r.has(
re[I])||(ne=I);if(h==0||h==1)for(I=v;Y==null&&I++<re.length;)r.has(re[I])||(Y=I);if(ne!=null||Y!=null)if(D){let Se=ne==null?-1/0:F(ce[ne],A,R,0),Ae=Y==null?1/0:
F(ce[Y],A,R,0),qe=U-Se,me=Ae-U;qe<=me?qe<=N&&(E=ne):me<=N&&(E=Y)}else E=Y==null?ne:ne==null?Y:v-ne<=Y-v?ne:Y}else D&&We(U-F(ce[v],A,R,0))>N&&(E=null);return E}}
let gl=o=>{z.event=o};z.idxs=de,z._lock=!1;let Qe=z.points;Qe.show=se(Qe.show),Qe.size=se(Qe.size),Qe.stroke=se(Qe.stroke),Qe.width=se(Qe.width),Qe.fill=se(Qe.fill);
let It=l.focus=Re({},e.focus||{alpha:.3},z.focus),Ol=It.prox>=0,Fl=Ol&&Qe.one,St=[],zl=[],Il=[];function xo(o,r){let u=Qe.show(l,r);if(u instanceof HTMLElement)
return gt(u,ec),gt(u,o.class),Gt(u,-10,-10,Q,P),M.insertBefore(u,St[r]),u}function _o(o,r){if(s==1||r>0){let u=s==1&&S[o.scale].time,h=o.value;o.value=u?Ai(h)?Oi(
oe,Ri(h,B)):h||ie:h||mu,o.label=o.label||(u?iu:ou)}if(Fl||r>0){o.width=o.width==null?1:o.width,o.paths=o.paths||Cu||bc,o.fillTo=se(o.fillTo||yu),o.pxAlign=+ae(o.
pxAlign,L),o.pxRound=Gi(o.pxAlign),o.stroke=se(o.stroke||null),o.fill=se(o.fill||null),o._stroke=o._fill=o._paths=o._focus=null;let u=pu(st(1,o.width),1),h=o.points=
Re({},{size:u,width:st(1,u*.2),stroke:o.stroke,space:u*2,paths:Au,_stroke:null,_fill:null},o.points);h.show=se(h.show),h.filter=se(h.filter),h.fill=se(h.fill),h.
stroke=se(h.stroke),h.paths=se(h.paths),h.pxAlign=o.pxAlign}if(Oe){let u=An(o,r);Ce.splice(r,0,u[0]),Ft.splice(r,0,u[1]),le.values.push(null)}if(Xe){de.splice(r,
0,null);let u=null;Fl?r==0&&(u=xo(o,r)):r>0&&(u=xo(o,r)),St.splice(r,0,u),zl.splice(r,0,0),Il.splice(r,0,0)}Ge("addSeries",r)}function aa(o,r){r=r??_.length,o=s==
1?Ks(o,r,zi,Hi):Ks(o,r,{},Vi),_.splice(r,0,o),_o(_[r],r)}l.addSeries=aa;function ca(o){if(_.splice(o,1),Oe){le.values.splice(o,1),Ft.splice(o,1);let r=Ce.splice(
o,1)[0];Dl(null,r.firstChild),r.remove()}Xe&&(de.splice(o,1),St.splice(o,1)[0].remove(),zl.splice(o,1),Il.splice(o,1)),Ge("delSeries",o)}l.delSeries=ca;let wl=[
!1,!1,!1,!1];function ua(o,r){if(o._show=o.show,o.show){let u=o.side%2,h=S[o.scale];h==null&&(o.scale=u?_[1].scale:$,h=S[o.scale]);let p=h.time;o.size=se(o.size),
o.space=se(o.space),o.rotate=se(o.rotate),al(o.incrs)&&o.incrs.forEach(v=>{!cl.has(v)&&cl.set(v,sr(v))}),o.incrs=se(o.incrs||(h.distr==2?Wc:p?O==1?Vc:Gc:kl)),o.
splits=se(o.splits||(p&&h.distr==1?rt:h.distr==3?Ys:h.distr==4?cu:au)),o.stroke=se(o.stroke),o.grid.stroke=se(o.grid.stroke),o.ticks.stroke=se(o.ticks.stroke),o.
border.stroke=se(o.border.stroke);let b=o.values;o.values=al(b)&&!al(b[0])?se(b):p?al(b)?Pi(oe,Di(b,B)):Ai(b)?Kc(oe,b):b||Me:b||ru,o.filter=se(o.filter||(h.distr>=
3&&h.log==10?hu:h.distr==3&&h.log==2?du:lr)),o.font=ji(o.font),o.labelFont=ji(o.labelFont),o._size=o.size(l,null,r,0),o._space=o._rotate=o._incrs=o._found=o._splits=
o._values=null,o._size>0&&(wl[r]=!0,o._el=Tt(Ja,w))}}function un(o,r,u,h){let[p,b,v,k]=u,E=r%2,N=0;return E==0&&(k||b)&&(N=r==0&&!p||r==2&&!v?Ie(Fi.size/3):0),E==
1&&(p||v)&&(N=r==1&&!b||r==3&&!k?Ie(Wi.size/2):0),N}let vo=l.padding=(e.padding||[un,un,un,un]).map(o=>se(ae(o,un))),tl=l._padding=vo.map((o,r)=>o(l,r,wl,0)),Ke,
Be=null,Ve=null,Nn=s==1?_[0].idxs:null,Lt=null,fn=!1;function So(o,r){if(t=o??[],l.data=l._data=t,s==2){Ke=0;for(let u=1;u<_.length;u++)Ke+=t[u][0].length}else{
t.length==0&&(l.data=l._data=t=[[]]),Lt=t[0],Ke=Lt.length;let u=t;if(X==2){u=t.slice();let h=u[0]=Array(Ke);for(let p=0;p<Ke;p++)h[p]=p}l._data=t=u}if(Bl(!0),Ge(
"setData"),X==2&&(Rl=!0),r!==!1){let u=A;u.auto(l,fn)?cs():nl($,u.min,u.max),pl=pl||z.left>=0,vt=!0,Vl()}}l.setData=So;function cs(){fn=!0;let o,r;s==1&&(Ke>0?(Be=
Nn[0]=0,Ve=Nn[1]=Ke-1,o=t[0][Be],r=t[0][Ve],X==2?(o=Be,r=Ve):o==r&&(X==3?[o,r]=Jn(o,o,A.log,!1):X==4?[o,r]=Qs(o,o,A.log,!1):A.time?r=o+Ie(86400/O):[o,r]=Un(o,r,
Xs,!0))):(Be=Nn[0]=o=null,Ve=Nn[1]=r=null)),nl($,o,r)}let Dn,Wl,us,fs,hs,ds,ms,ps,gs,ct;function ko(o,r,u,h,p,b){o??=hi,u??=to,h??="butt",p??=hi,b??="round",o!=
Dn&&(g.strokeStyle=Dn=o),p!=Wl&&(g.fillStyle=Wl=p),r!=us&&(g.lineWidth=us=r),b!=hs&&(g.lineJoin=hs=b),h!=ds&&(g.lineCap=ds=h),u!=fs&&g.setLineDash(fs=u)}function Mo(o,r,u,h){
r!=Wl&&(g.fillStyle=Wl=r),o!=ms&&(g.font=ms=o),u!=ps&&(g.textAlign=ps=u),h!=gs&&(g.textBaseline=gs=h)}function ws(o,r,u,h,p=0){if(h.length>0&&o.auto(l,fn)&&(r==
null||r.min==null)){let b=ae(Be,0),v=ae(Ve,h.length-1),k=u.min==null?hc(h,b,v,p,o.distr==3):[u.min,u.max];o.min=Ot(o.min,u.min=k[0]),o.max=st(o.max,u.max=k[1])}}
let Eo={min:null,max:null};function fa(){for(let h in S){let p=S[h];H[h]==null&&(p.min==null||H[$]!=null&&p.auto(l,fn))&&(H[h]=Eo)}for(let h in S){let p=S[h];H[h]==
null&&p.from!=null&&H[p.from]!=null&&(H[h]=Eo)}H[$]!=null&&Bl(!0);let o={};for(let h in H){let p=H[h];if(p!=null){let b=o[h]=tn(S[h],_c);if(p.min!=null)Re(b,p);else if(h!=
$||s==2)if(Ke==0&&b.from==null){let v=b.range(l,null,null,h);b.min=v[0],b.max=v[1]}else b.min=we,b.max=-we}}if(Ke>0){_.forEach((h,p)=>{if(s==1){let b=h.scale,v=H[b];
if(v==null)return;let k=o[b];if(p==0){let E=k.range(l,k.min,k.max,b);k.min=E[0],k.max=E[1],Be=Rt(k.min,t[0]),Ve=Rt(k.max,t[0]),Ve-Be>1&&(t[0][Be]<k.min&&Be++,t[0][Ve]>
k.max&&Ve--),h.min=Lt[Be],h.max=Lt[Ve]}else h.show&&h.auto&&ws(k,v,h,t[p],h.sorted);h.idxs[0]=Be,h.idxs[1]=Ve}else if(p>0&&h.show&&h.auto){let[b,v]=h.facets,k=b.
scale,E=v.scale,[N,D]=t[p],R=o[k],U=o[E];R!=null&&ws(R,H[k],b,N,b.sorted),U!=null&&ws(U,H[E],v,D,v.sorted),h.min=v.min,h.max=v.max}});for(let h in o){let p=o[h],
b=H[h];if(p.from==null&&(b==null||b.min==null)){let v=p.range(l,p.min==we?null:p.min,p.max==-we?null:p.max,h);p.min=v[0],p.max=v[1]}}}for(let h in o){let p=o[h];
if(p.from!=null){let b=o[p.from];if(b.min==null)p.min=p.max=null;else{let v=p.range(l,b.min,b.max,h);p.min=v[0],p.max=v[1]}}}let r={},u=!1;for(let h in o){let p=o[h],
b=S[h];if(b.min!=p.min||b.max!=p.max){b.min=p.min,b.max=p.max;let v=b.distr;b._min=v==3?Jt(b.min):v==4?Rs(b.min,b.asinh):v==100?b.fwd(b.min):b.min,b._max=v==3?Jt(
b.max):v==4?Rs(b.max,b.asinh):v==100?b.fwd(b.max):b.max,r[h]=u=!0}}if(u){_.forEach((h,p)=>{s==2?p>0&&r.y&&(h._paths=null):r[h.scale]&&(h._paths=null)});for(let h in r)
Rl=!0,Ge("setScale",h);Xe&&z.left>=0&&(pl=vt=!0)}for(let h in H)H[h]=null}function ha(o){let r=Hs(Be-1,0,Ke-1),u=Hs(Ve+1,0,Ke-1);for(;o[r]==null&&r>0;)r--;for(;o[u]==
null&&u<Ke-1;)u++;return[r,u]}function da(){if(Ke>0){let o=_.some(r=>r._focus)&&ct!=It.alpha;o&&(g.globalAlpha=ct=It.alpha),_.forEach((r,u)=>{if(u>0&&r.show&&(To(
u,!1),To(u,!0),r._paths==null)){let h=ct;ct!=r.alpha&&(g.globalAlpha=ct=r.alpha);let p=s==2?[0,t[u][0].length-1]:ha(t[u]);r._paths=r.paths(l,u,p[0],p[1]),ct!=h&&
(g.globalAlpha=ct=h)}}),_.forEach((r,u)=>{if(u>0&&r.show){let h=ct;ct!=r.alpha&&(g.globalAlpha=ct=r.alpha),r._paths!=null&&Co(u,!1);{let p=r._paths!=null?r._paths.
gaps:null,b=r.points.show(l,u,Be,Ve,p),v=r.points.filter(l,u,b,p);(b||v)&&(r.points._paths=r.points.paths(l,u,Be,Ve,v),Co(u,!0))}ct!=h&&(g.globalAlpha=ct=h),Ge(
"drawSeries",u)}}),o&&(g.globalAlpha=ct=1)}}function To(o,r){let u=r?_[o].points:_[o];u._stroke=u.stroke(l,o),u._fill=u.fill(l,o)}function Co(o,r){let u=r?_[o].
points:_[o],{stroke:h,fill:p,clip:b,flags:v,_stroke:k=u._stroke,_fill:E=u._fill,_width:N=u.width}=u._paths;N=be(N*ue,3);let D=null,R=N%2/2;r&&E==null&&(E=N>0?"#\
fff":k);let U=u.pxAlign==1&&R>0;if(U&&g.translate(R,R),!r){let ce=ht-N/2,re=_t-N/2,ne=at+N,Y=$t+N;D=new Path2D,D.rect(ce,re,ne,Y)}r?bs(k,N,u.dash,u.cap,E,h,p,v,
b):ma(o,k,N,u.dash,u.cap,E,h,p,v,D,b),U&&g.translate(-R,-R)}function ma(o,r,u,h,p,b,v,k,E,N,D){let R=!1;E!=0&&K.forEach((U,ce)=>{if(U.series[0]==o){let re=_[U.series[1]],
ne=t[U.series[1]],Y=(re._paths||En).band;al(Y)&&(Y=U.dir==1?Y[0]:Y[1]);let I,Se=null;re.show&&Y&&mc(ne,Be,Ve)?(Se=U.fill(l,ce)||b,I=re._paths.clip):Y=null,bs(r,
u,h,p,Se,v,k,E,N,D,I,Y),R=!0}}),R||bs(r,u,h,p,b,v,k,E,N,D)}let Ao=ln|qs;function bs(o,r,u,h,p,b,v,k,E,N,D,R){ko(o,r,u,h,p),(E||N||R)&&(g.save(),E&&g.clip(E),N&&
g.clip(N)),R?(k&Ao)==Ao?(g.clip(R),D&&g.clip(D),Rn(p,v),Pn(o,b,r)):k&qs?(Rn(p,v),g.clip(R),Pn(o,b,r)):k&ln&&(g.save(),g.clip(R),D&&g.clip(D),Rn(p,v),g.restore(),
Pn(o,b,r)):(Rn(p,v),Pn(o,b,r)),(E||N||R)&&g.restore()}function Pn(o,r,u){u>0&&(r instanceof Map?r.forEach((h,p)=>{g.strokeStyle=Dn=p,g.stroke(h)}):r!=null&&o&&g.
stroke(r))}function Rn(o,r){r instanceof Map?r.forEach((u,h)=>{g.fillStyle=Wl=h,g.fill(u)}):r!=null&&o&&g.fill(r)}function pa(o,r,u,h){let p=C[o],b;if(h<=0)b=[0,
0];else{let v=p._space=p.space(l,o,r,u,h),k=p._incrs=p.incrs(l,o,r,u,h,v);b=Ru(r,u,k,h,v)}return p._found=b}function ys(o,r,u,h,p,b,v,k,E,N){let D=v%2/2;L==1&&g.
translate(D,D),ko(k,v,E,N,k),g.beginPath();let R,U,ce,re,ne=p+(h==0||h==3?-b:b);u==0?(U=p,re=ne):(R=p,ce=ne);for(let Y=0;Y<o.length;Y++)r[Y]!=null&&(u==0?R=ce=o[Y]:
U=re=o[Y],g.moveTo(R,U),g.lineTo(ce,re));g.stroke(),L==1&&g.translate(-D,-D)}function ga(o){let r=!0;return C.forEach((u,h)=>{if(!u.show)return;let p=S[u.scale];
if(p.min==null){u._show&&(r=!1,u._show=!1,Bl(!1));return}else u._show||(r=!1,u._show=!0,Bl(!1));let b=u.side,v=b%2,{min:k,max:E}=p,[N,D]=pa(h,k,E,v==0?Q:P);if(D==
0)return;let R=p.distr==2,U=u._splits=u.splits(l,h,k,E,N,D,R),ce=p.distr==2?U.map(I=>Lt[I]):U,re=p.distr==2?Lt[U[1]]-Lt[U[0]]:N,ne=u._values=u.values(l,u.filter(
l,ce,h,D,re),h,D,re);u._rotate=b==2?u.rotate(l,ne,h,D):0;let Y=u._size;u._size=Ct(u.size(l,ne,h,o)),Y!=null&&u._size!=Y&&(r=!1)}),r}function wa(o){let r=!0;return vo.
forEach((u,h)=>{let p=u(l,h,wl,o);p!=tl[h]&&(r=!1),tl[h]=p}),r}function ba(){for(let o=0;o<C.length;o++){let r=C[o];if(!r.show||!r._show)continue;let u=r.side,h=u%
2,p,b,v=r.stroke(l,o),k=u==0||u==3?-1:1,[E,N]=r._found;if(r.label!=null){let lt=r.labelGap*k,pt=Ie((r._lpos+lt)*ue);Mo(r.labelFont[0],v,"center",u==2?"top":fi),
g.save(),h==1?(p=b=0,g.translate(pt,Ie(_t+$t/2)),g.rotate((u==3?-Gn:Gn)/2)):(p=Ie(ht+at/2),b=pt);let xl=er(r.label)?r.label(l,o,E,N):r.label;g.fillText(xl,p,b),
g.restore()}if(N==0)continue;let D=S[r.scale],R=h==0?at:$t,U=h==0?ht:_t,ce=r._splits,re=D.distr==2?ce.map(lt=>Lt[lt]):ce,ne=D.distr==2?Lt[ce[1]]-Lt[ce[0]]:E,Y=r.
ticks,I=r.border,Se=Y.show?Y.size:0,Ae=Ie(Se*ue),qe=Ie((r.alignTo==2?r._size-Se-r.gap:r.gap)*ue),me=r._rotate*-Gn/180,$e=y(r._pos*ue),dt=(Ae+qe)*k,tt=$e+dt;b=h==
0?tt:0,p=h==1?tt:0;let kt=r.font[0],Nt=r.align==1?Jl:r.align==2?Ns:me>0?Jl:me<0?Ns:h==0?"center":u==3?Ns:Jl,Vt=me||h==1?"middle":u==2?"top":fi;Mo(kt,v,Nt,Vt);let mt=r.
font[1]*r.lineGap,Mt=ce.map(lt=>y(i(lt,D,R,U))),Dt=r._values;for(let lt=0;lt<Dt.length;lt++){let pt=Dt[lt];if(pt!=null){h==0?p=Mt[lt]:b=Mt[lt],pt=""+pt;let xl=pt.
indexOf(`
`)==-1?[pt]:pt.split(/\n/gm);for(let nt=0;nt<xl.length;nt++){let Ko=xl[nt];me?(g.save(),g.translate(p,b+nt*mt),g.rotate(me),g.fillText(Ko,0,0),g.restore()):g.fillText(
Ko,p,b+nt*mt)}}}Y.show&&ys(Mt,Y.filter(l,re,o,N,ne),h,u,$e,Ae,be(Y.width*ue,3),Y.stroke(l,o),Y.dash,Y.cap);let Ht=r.grid;Ht.show&&ys(Mt,Ht.filter(l,re,o,N,ne),h,
h==0?2:1,h==0?_t:ht,h==0?$t:at,be(Ht.width*ue,3),Ht.stroke(l,o),Ht.dash,Ht.cap),I.show&&ys([$e],[1],h==0?1:0,h==0?1:2,h==1?_t:ht,h==1?$t:at,be(I.width*ue,3),I.stroke(
l,o),I.dash,I.cap)}Ge("drawAxes")}function Bl(o){_.forEach((r,u)=>{u>0&&(r._paths=null,o&&(s==1?(r.min=null,r.max=null):r.facets.forEach(h=>{h.min=null,h.max=null})))})}
let On=!1,xs=!1,hn=[];function ya(){xs=!1;for(let o=0;o<hn.length;o++)Ge(...hn[o]);hn.length=0}function Vl(){On||(Cc($o),On=!0)}function xa(o,r=!1){On=!0,xs=r,o(
l),$o(),r&&hn.length>0&&queueMicrotask(ya)}l.batch=xa;function $o(){if(rs&&(fa(),rs=!1),Rl&&(sa(),Rl=!1),$n){if(ke(T,Jl,ye),ke(T,"top",Fe),ke(T,vn,Q),ke(T,Sn,P),
ke(M,Jl,ye),ke(M,"top",Fe),ke(M,vn,Q),ke(M,Sn,P),ke(w,vn,Ut),ke(w,Sn,hl),d.width=Ie(Ut*ue),d.height=Ie(hl*ue),C.forEach(({_el:o,_show:r,_size:u,_pos:h,side:p})=>{
if(o!=null)if(r){let b=p===3||p===0?u:0,v=p%2==1;ke(o,v?"left":"top",h-b),ke(o,v?"width":"height",u),ke(o,v?"top":"left",v?Fe:ye),ke(o,v?"height":"width",v?P:Q),
Bs(o,Ml)}else gt(o,Ml)}),Dn=Wl=us=hs=ds=ms=ps=gs=fs=null,ct=1,pn(!0),ye!=Pl||Fe!=dl||Q!=zt||P!=ml){Bl(!1);let o=Q/zt,r=P/ml;if(Xe&&!pl&&z.left>=0){z.left*=o,z.top*=
r,Hl&&Gt(Hl,Ie(z.left),0,Q,P),Yl&&Gt(Yl,0,Ie(z.top),Q,P);for(let u=0;u<St.length;u++){let h=St[u];h!=null&&(zl[u]*=o,Il[u]*=r,Gt(h,Ct(zl[u]),Ct(Il[u]),Q,P))}}if(ve.
show&&!Ln&&ve.left>=0&&ve.width>0){ve.left*=o,ve.width*=o,ve.top*=r,ve.height*=r;for(let u in Es)ke(Ul,u,ve[u])}Pl=ye,dl=Fe,zt=Q,ml=P}Ge("setSize"),$n=!1}Ut>0&&
hl>0&&(g.clearRect(0,0,d.width,d.height),Ge("drawClear"),G.forEach(o=>o()),Ge("draw")),ve.show&&Ln&&(Fn(ve),Ln=!1),Xe&&pl&&(yl(null,!0,!1),pl=!1),le.show&&le.live&&
vt&&(ks(),vt=!1),f||(f=!0,l.status=1,Ge("ready")),fn=!1,On=!1}l.redraw=(o,r)=>{Rl=r||!1,o!==!1?nl($,A.min,A.max):Vl()};function _s(o,r){let u=S[o];if(u.from==null){
if(Ke==0){let h=u.range(l,r.min,r.max,o);r.min=h[0],r.max=h[1]}if(r.min>r.max){let h=r.min;r.min=r.max,r.max=h}if(Ke>1&&r.min!=null&&r.max!=null&&r.max-r.min<1e-16)
return;o==$&&u.distr==2&&Ke>0&&(r.min=Rt(r.min,t[0]),r.max=Rt(r.max,t[0]),r.min==r.max&&r.max++),H[o]=r,rs=!0,Vl()}}l.setScale=_s;let vs,Ss,Hl,Yl,Lo,No,Gl,ql,Do,
Po,_e,Te,ll=!1,je=z.drag,He=je.x,Ye=je.y;Xe&&(z.x&&(vs=Tt(Qa,M)),z.y&&(Ss=Tt(Xa,M)),A.ori==0?(Hl=vs,Yl=Ss):(Hl=Ss,Yl=vs),_e=z.left,Te=z.top);let ve=l.select=Re(
{show:!0,over:!0,left:0,width:0,top:0,height:0},e.select),Ul=ve.show?Tt(Za,ve.over?M:T):null;function Fn(o,r){if(ve.show){for(let u in o)ve[u]=o[u],u in Es&&ke(
Ul,u,o[u]);r!==!1&&Ge("setSelect")}}l.setSelect=Fn;function _a(o){if(_[o].show)Oe&&Bs(Ce[o],Ml);else if(Oe&&gt(Ce[o],Ml),Xe){let u=Fl?St[0]:St[o];u!=null&&Gt(u,
-10,-10,Q,P)}}function nl(o,r,u){_s(o,{min:r,max:u})}function Wt(o,r,u,h){r.focus!=null&&Ea(o),r.show!=null&&_.forEach((p,b)=>{b>0&&(o==b||o==null)&&(p.show=r.show,
_a(b),s==2?(nl(p.facets[0].scale,null,null),nl(p.facets[1].scale,null,null)):nl(p.scale,null,null),Vl())}),u!==!1&&Ge("setSeries",o,r),h&&gn("setSeries",l,o,r)}
l.setSeries=Wt;function va(o,r){Re(K[o],r)}function Sa(o,r){o.fill=se(o.fill||null),o.dir=ae(o.dir,-1),r=r??K.length,K.splice(r,0,o)}function ka(o){o==null?K.length=
0:K.splice(o,1)}l.addBand=Sa,l.setBand=va,l.delBand=ka;function Ma(o,r){_[o].alpha=r,Xe&&St[o]!=null&&(St[o].style.opacity=r),Oe&&Ce[o]&&(Ce[o].style.opacity=r)}
let Kt,sl,bl,Kl={focus:!0};function Ea(o){if(o!=bl){let r=o==null,u=It.alpha!=1;_.forEach((h,p)=>{if(s==1||p>0){let b=r||p==0||p==o;h._focus=r?null:b,u&&Ma(p,b?
1:It.alpha)}}),bl=o,u&&Vl()}}Oe&&Ol&&et(pi,fe,o=>{z._lock||(gl(o),bl!=null&&Wt(null,Kl,!0,Pe.setSeries))});function Bt(o,r,u){let h=S[r];u&&(o=o/ue-(h.ori==1?Fe:
ye));let p=Q;h.ori==1&&(p=P,o=p-o),h.dir==-1&&(o=p-o);let b=h._min,v=h._max,k=o/p,E=b+(v-b)*k,N=h.distr;return N==3?Xl(10,E):N==4?gc(E,h.asinh):N==100?h.bwd(E):
E}function Ta(o,r){let u=Bt(o,$,r);return Rt(u,t[0],Be,Ve)}l.valToIdx=o=>Rt(o,t[0]),l.posToIdx=Ta,l.posToVal=Bt,l.valToPos=(o,r,u)=>S[r].ori==0?a(o,S[r],u?at:Q,
u?ht:0):c(o,S[r],u?$t:P,u?_t:0),l.setCursor=(o,r,u)=>{_e=o.left,Te=o.top,yl(null,r,u)};function Ro(o,r){ke(Ul,Jl,ve.left=o),ke(Ul,vn,ve.width=r)}function Oo(o,r){
ke(Ul,"top",ve.top=o),ke(Ul,Sn,ve.height=r)}let dn=A.ori==0?Ro:Oo,mn=A.ori==1?Ro:Oo;function Ca(){if(Oe&&le.live)for(let o=s==2?1:0;o<_.length;o++){if(o==0&&xt)
continue;let r=le.values[o],u=0;for(let h in r)Ft[o][u++].firstChild.nodeValue=r[h]}}function ks(o,r){if(o!=null&&(o.idxs?o.idxs.forEach((u,h)=>{de[h]=u}):xc(o.
idx)||de.fill(o.idx),le.idx=de[0]),Oe&&le.live){for(let u=0;u<_.length;u++)(u>0||s==1&&!xt)&&Aa(u,de[u]);Ca()}vt=!1,r!==!1&&Ge("setLegend")}l.setLegend=ks;function Aa(o,r){
let u=_[o],h=o==0&&X==2?Lt:t[o],p;xt?p=u.values(l,o,r)??el:(p=u.value(l,r==null?null:h[r],o,r),p=p==null?el:{_:p}),le.values[o]=p}function yl(o,r,u){Do=_e,Po=Te,
[_e,Te]=z.move(l,_e,Te),z.left=_e,z.top=Te,Xe&&(Hl&&Gt(Hl,Ie(_e),0,Q,P),Yl&&Gt(Yl,0,Ie(Te),Q,P));let h,p=Be>Ve;Kt=we,sl=null;let b=A.ori==0?Q:P,v=A.ori==1?Q:P;if(_e<
0||Ke==0||p){h=z.idx=null;for(let k=0;k<_.length;k++){let E=St[k];E!=null&&Gt(E,-10,-10,Q,P)}Ol&&Wt(null,Kl,!0,o==null&&Pe.setSeries),le.live&&(de.fill(h),vt=!0)}else{
let k,E,N;s==1&&(k=A.ori==0?_e:Te,E=Bt(k,$),h=z.idx=Rt(E,t[0],Be,Ve),N=F(t[0][h],A,b,0));let D=-10,R=-10,U=0,ce=0,re=!0,ne="",Y="";for(let I=s==2?1:0;I<_.length;I++){
let Se=_[I],Ae=de[I],qe=Ae==null?null:s==1?t[I][Ae]:t[I][1][Ae],me=z.dataIdx(l,I,h,E),$e=me==null?null:s==1?t[I][me]:t[I][1][me];if(vt=vt||$e!=qe||me!=Ae,de[I]=
me,I>0&&Se.show){let dt=me==null?-10:me==h?N:F(s==1?t[0][me]:t[I][0][me],A,b,0),tt=$e==null?-10:q($e,s==1?S[Se.scale]:S[Se.facets[1].scale],v,0);if(Ol&&$e!=null){
let kt=A.ori==1?_e:Te,Nt=We(It.dist(l,I,me,tt,kt));if(Nt<Kt){let Vt=It.bias;if(Vt!=0){let mt=Bt(kt,Se.scale),Mt=$e>=0?1:-1,Dt=mt>=0?1:-1;Dt==Mt&&(Dt==1?Vt==1?$e>=
mt:$e<=mt:Vt==1?$e<=mt:$e>=mt)&&(Kt=Nt,sl=I)}else Kt=Nt,sl=I}}if(vt||Fl){let kt,Nt;A.ori==0?(kt=dt,Nt=tt):(kt=tt,Nt=dt);let Vt,mt,Mt,Dt,Ht,lt,pt=!0,xl=Qe.bbox;if(xl!=
null){pt=!1;let nt=xl(l,I);Mt=nt.left,Dt=nt.top,Vt=nt.width,mt=nt.height}else Mt=kt,Dt=Nt,Vt=mt=Qe.size(l,I);if(lt=Qe.fill(l,I),Ht=Qe.stroke(l,I),Fl)I==sl&&Kt<=
It.prox&&(D=Mt,R=Dt,U=Vt,ce=mt,re=pt,ne=lt,Y=Ht);else{let nt=St[I];nt!=null&&(zl[I]=Mt,Il[I]=Dt,vi(nt,Vt,mt,pt),xi(nt,lt,Ht),Gt(nt,Ct(Mt),Ct(Dt),Q,P))}}}}if(Fl){
let I=It.prox,Se=bl==null?Kt<=I:Kt>I||sl!=bl;if(vt||Se){let Ae=St[0];Ae!=null&&(zl[0]=D,Il[0]=R,vi(Ae,U,ce,re),xi(Ae,ne,Y),Gt(Ae,Ct(D),Ct(R),Q,P))}}}if(ve.show&&
ll)if(o!=null){let[k,E]=Pe.scales,[N,D]=Pe.match,[R,U]=o.cursor.sync.scales,ce=o.cursor.drag;if(He=ce._x,Ye=ce._y,He||Ye){let{left:re,top:ne,width:Y,height:I}=o.
select,Se=o.scales[R].ori,Ae=o.posToVal,qe,me,$e,dt,tt,kt=k!=null&&N(k,R),Nt=E!=null&&D(E,U);kt&&He?(Se==0?(qe=re,me=Y):(qe=ne,me=I),$e=S[k],dt=F(Ae(qe,R),$e,b,
0),tt=F(Ae(qe+me,R),$e,b,0),dn(Ot(dt,tt),We(tt-dt))):dn(0,b),Nt&&Ye?(Se==1?(qe=re,me=Y):(qe=ne,me=I),$e=S[E],dt=q(Ae(qe,U),$e,v,0),tt=q(Ae(qe+me,U),$e,v,0),mn(Ot(
dt,tt),We(tt-dt))):mn(0,v)}else Ts()}else{let k=We(Do-Lo),E=We(Po-No);if(A.ori==1){let U=k;k=E,E=U}He=je.x&&k>=je.dist,Ye=je.y&&E>=je.dist;let N=je.uni;N!=null?
He&&Ye&&(He=k>=N,Ye=E>=N,!He&&!Ye&&(E>k?Ye=!0:He=!0)):je.x&&je.y&&(He||Ye)&&(He=Ye=!0);let D,R;He&&(A.ori==0?(D=Gl,R=_e):(D=ql,R=Te),dn(Ot(D,R),We(R-D)),Ye||mn(
0,v)),Ye&&(A.ori==1?(D=Gl,R=_e):(D=ql,R=Te),mn(Ot(D,R),We(R-D)),He||dn(0,b)),!He&&!Ye&&(dn(0,0),mn(0,0))}if(je._x=He,je._y=Ye,o==null){if(u){if(Uo!=null){let[k,
E]=Pe.scales;Pe.values[0]=k!=null?Bt(A.ori==0?_e:Te,k):null,Pe.values[1]=E!=null?Bt(A.ori==1?_e:Te,E):null}gn(Ds,l,_e,Te,Q,P,h)}if(Ol){let k=u&&Pe.setSeries,E=It.
prox;bl==null?Kt<=E&&Wt(sl,Kl,!0,k):Kt>E?Wt(null,Kl,!0,k):sl!=bl&&Wt(sl,Kl,!0,k)}}vt&&(le.idx=h,ks()),r!==!1&&Ge("setCursor")}let ol=null;Object.defineProperty(
l,"rect",{get(){return ol==null&&pn(!1),ol}});function pn(o=!1){o?ol=null:(ol=M.getBoundingClientRect(),Ge("syncRect",ol))}function Fo(o,r,u,h,p,b,v){z._lock||ll&&
o!=null&&o.movementX==0&&o.movementY==0||(Ms(o,r,u,h,p,b,v,!1,o!=null),o!=null?yl(null,!0,!0):yl(r,!0,!1))}function Ms(o,r,u,h,p,b,v,k,E){if(ol==null&&pn(!1),gl(
o),o!=null)u=o.clientX-ol.left,h=o.clientY-ol.top;else{if(u<0||h<0){_e=-10,Te=-10;return}let[N,D]=Pe.scales,R=r.cursor.sync,[U,ce]=R.values,[re,ne]=R.scales,[Y,
I]=Pe.match,Se=r.axes[0].side%2==1,Ae=A.ori==0?Q:P,qe=A.ori==1?Q:P,me=Se?b:p,$e=Se?p:b,dt=Se?h:u,tt=Se?u:h;if(re!=null?u=Y(N,re)?i(U,S[N],Ae,0):-10:u=Ae*(dt/me),
ne!=null?h=I(D,ne)?i(ce,S[D],qe,0):-10:h=qe*(tt/$e),A.ori==1){let kt=u;u=h,h=kt}}E&&(r==null||r.cursor.event.type==Ds)&&((u<=1||u>=Q-1)&&(u=Sl(u,Q)),(h<=1||h>=P-
1)&&(h=Sl(h,P))),k?(Lo=u,No=h,[Gl,ql]=z.move(l,u,h)):(_e=u,Te=h)}let Es={width:0,height:0,left:0,top:0};function Ts(){Fn(Es,!1)}let zo,Io,Wo,Bo;function Vo(o,r,u,h,p,b,v){
ll=!0,He=Ye=je._x=je._y=!1,Ms(o,r,u,h,p,b,v,!0,!1),o!=null&&(et(Ps,Is,Ho,!1),gn(di,l,Gl,ql,Q,P,null));let{left:k,top:E,width:N,height:D}=ve;zo=k,Io=E,Wo=N,Bo=D}
function Ho(o,r,u,h,p,b,v){ll=je._x=je._y=!1,Ms(o,r,u,h,p,b,v,!1,!0);let{left:k,top:E,width:N,height:D}=ve,R=N>0||D>0,U=zo!=k||Io!=E||Wo!=N||Bo!=D;if(R&&U&&Fn(ve),
je.setScale&&R&&U){let ce=k,re=N,ne=E,Y=D;if(A.ori==1&&(ce=E,re=D,ne=k,Y=N),He&&nl($,Bt(ce,$),Bt(ce+re,$)),Ye)for(let I in S){let Se=S[I];I!=$&&Se.from==null&&Se.
min!=we&&nl(I,Bt(ne+Y,I),Bt(ne,I))}Ts()}else z.lock&&(z._lock=!z._lock,yl(r,!0,o!=null));o!=null&&(Dl(Ps,Is),gn(Ps,l,_e,Te,Q,P,null))}function $a(o,r,u,h,p,b,v){
if(z._lock)return;gl(o);let k=ll;if(ll){let E=!0,N=!0,D=10,R,U;A.ori==0?(R=He,U=Ye):(R=Ye,U=He),R&&U&&(E=_e<=D||_e>=Q-D,N=Te<=D||Te>=P-D),R&&E&&(_e=_e<Gl?0:Q),U&&
N&&(Te=Te<ql?0:P),yl(null,!0,!0),ll=!1}_e=-10,Te=-10,de.fill(null),yl(null,!0,!0),k&&(ll=k)}function Yo(o,r,u,h,p,b,v){z._lock||(gl(o),cs(),Ts(),o!=null&&gn(gi,
l,_e,Te,Q,P,null))}function Go(){C.forEach(Ou),as(l.width,l.height,!0)}El(qn,Ql,Go);let jl={};jl.mousedown=Vo,jl.mousemove=Fo,jl.mouseup=Ho,jl.dblclick=Yo,jl.setSeries=
(o,r,u,h)=>{let p=Pe.match[2];u=p(l,r,u),u!=-1&&Wt(u,h,!0,!1)},Xe&&(et(di,M,Vo),et(Ds,M,Fo),et(mi,M,o=>{gl(o),pn(!1)}),et(pi,M,$a),et(gi,M,Yo),Us.add(l),l.syncRect=
pn);let zn=l.hooks=e.hooks||{};function Ge(o,r,u){xs?hn.push([o,r,u]):o in zn&&zn[o].forEach(h=>{h.call(null,l,r,u)})}(e.plugins||[]).forEach(o=>{for(let r in o.
hooks)zn[r]=(zn[r]||[]).concat(o.hooks[r])});let qo=(o,r,u)=>u,Pe=Re({key:null,setSeries:!1,filters:{pub:Ti,sub:Ti},scales:[$,_[1]?_[1].scale:null],match:[Ci,Ci,
qo],values:[null,null]},z.sync);Pe.match.length==2&&Pe.match.push(qo),z.sync=Pe;let Uo=Pe.key,Cs=kr(Uo);function gn(o,r,u,h,p,b,v){Pe.filters.pub(o,r,u,h,p,b,v)&&
Cs.pub(o,r,u,h,p,b,v)}Cs.sub(l);function La(o,r,u,h,p,b,v){Pe.filters.sub(o,r,u,h,p,b,v)&&jl[o](null,r,u,h,p,b,v)}l.pub=La;function Na(){Cs.unsub(l),Us.delete(l),
fl.clear(),Vs(qn,Ql,Go),m.remove(),fe?.remove(),Ge("destroy")}l.destroy=Na;function As(){Ge("init",e,t),So(t||e.data,!1),H[$]?_s($,H[$]):cs(),Ln=ve.show&&(ve.width>
0||ve.height>0),pl=vt=!0,as(e.width,e.height)}return _.forEach(_o),C.forEach(ua),n?n instanceof HTMLElement?(n.appendChild(m),As()):n(l,As):As(),l}Ze.assign=Re;
Ze.fmtNum=eo;Ze.rangeNum=Un;Ze.rangeLog=Jn;Ze.rangeAsinh=Qs;Ze.orient=Cl;Ze.pxRatio=ue;Ze.join=Tc;Ze.fmtDate=lo,Ze.tzDate=zc;Ze.sync=kr;{Ze.addGap=xu,Ze.clipGaps=
Xn;let e=Ze.paths={points:$r};e.linear=Nr,e.stepped=Su,e.bars=ku,e.spline=Eu}var Ne=22,yt=24,ul=null;function co(){ul=null}function xe(e){return ul||(ul=new Map,ul.style=getComputedStyle(document.documentElement)),ul.has(e)||ul.set(e,ul.
style.getPropertyValue(`--${e}`).trim()||"#888"),ul.get(e)}function Fu(e,t){let n=e/Math.max(2,t/110),l=10**Math.floor(Math.log10(n));for(let s of[1,2,5,10])if(s*
l>=n)return s*l;return 10*l}function zu(e,t){let[n,l]=[["s",1e9],["ms",1e6],["\xB5s",1e3],["ns",1]].find(([,s])=>Math.abs(e)>=s)??["ns",1];return e===0||e>=12e10?
V(e):`${(e/l).toFixed(Math.max(0,Math.ceil(Math.log10(l/t)-1e-9)))} ${n}`}function Or(e,{from:t,to:n,left:l,width:s,height:a}){let c=Fu(n-t,s);e.fillStyle=xe("q\
uiet"),e.strokeStyle=xe("line"),e.font="11px system-ui, sans-serif",e.textBaseline="middle",e.beginPath();for(let i=Math.ceil(t/c)*c;i<=n;i+=c){let f=Math.round(
l+(i-t)/(n-t)*s)+.5;e.moveTo(f,yt-5),e.lineTo(f,a),f<l+s-40&&e.fillText(zu(Math.round(i),c),f+3,yt/2)}e.stroke()}function Iu(e,t,{from:n,to:l,left:s,width:a},c){
let i=a/(l-n);for(let f=0;f<t.bins.length;f+=4){let m=t.from+t.bins[f]*t.binNs;if(m>l)break;if(m+t.binNs<n)continue;let d=Math.round(s+Math.max(0,m-n)*i),g=Math.
max(1,Math.round(s+Math.min(l-n,m+t.binNs-n)*i)-d),w=Math.max(3,t.bins[f+2]/1e3*(Ne-6));e.fillStyle=xe(t.ops[t.bins[f+3]].kind),e.fillRect(d,c+Ne-3-w,g,w)}}function Wu(e,t,{
from:n,to:l,left:s,width:a,chosen:c},i){let f=a/(l-n),m=[-1,-1];e.font="11px system-ui, sans-serif",e.textBaseline="middle";for(let d of t.slices){if(d.start>l)
break;let g=d.duration===null?l:d.start+d.duration;if(g<n)continue;let w=s+Math.max(0,(d.start-n)*f),T=s+Math.min(a,(g-n)*f),M=d.depth>0?1:0,L=c===d.seq;if(T-w<
1&&w<m[M]&&!L)continue;let y=Math.max(1,T-w);m[M]=w+y;let O=M?i+3+Math.min(3,d.depth)*4:i+3,_=M?Math.max(3,Ne-6-Math.min(3,d.depth)*4):Ne-6;if(e.globalAlpha=d.duration===
null?.5:1,e.fillStyle=xe(d.op.kind),e.fillRect(w,O,y,_),e.globalAlpha=1,M&&(e.fillStyle=xe("card"),e.fillRect(w,O-1,y,1)),d.failed&&(e.fillStyle=xe("critical"),
e.fillRect(w,i+1,Math.max(2,y),2)),L&&(e.strokeStyle=xe("ink"),e.lineWidth=2,e.strokeRect(w,i+2,y,Ne-4),e.lineWidth=1),y>34&&!M){e.fillStyle=xe("card");let C=Math.
floor((y-6)/6),S=d.op.op;e.fillText(S.length<=C?S:`${S.slice(0,Math.max(1,C-1))}\u2026`,w+3,i+Ne/2)}}}function Fr(e,t,n,l){for(let{line:s,y:a}of t){if(s.lane&&s.
lane.lane===l.lane&&(e.fillStyle=xe("chosen"),e.fillRect(0,a,l.left+l.width,Ne)),s.chains){let i=l.width/(l.to-l.from);for(let f of s.chains){let m=Math.max(l.left,
l.left+(f.from-l.from)*i),d=Math.min(l.left+l.width,l.left+(f.to-l.from)*i);d<l.left||m>l.left+l.width||(e.fillStyle=xe("chain"),e.globalAlpha=f.id===l.chain?.9:
.5,e.fillRect(m,a+4,Math.max(3,d-m),Ne-8),e.globalAlpha=1)}continue}let c=s.lane?n.get(s.lane.lane):null;c&&(Iu(e,c,l,a),Wu(e,c,l,a))}}var zr=["launch","memcpy","collective","alloc","sync","fabric","graph","p2p","memset","event","module","stream"],ns=e=>xe(zr[e%zr.length]),Ir=(e,t)=>({stroke:()=>xe(
"quiet"),grid:{stroke:()=>xe("line"),width:1},ticks:{stroke:()=>xe("line")},values:e,size:t});function Bu(e,t,n,l){let s=null,a=new ResizeObserver(()=>{let c=e.
clientWidth;c&&(s||(s=new Ze({...t,width:c,height:l},n,e),s.root.querySelector("canvas").setAttribute("aria-hidden","true")),s.width!==c&&s.setSize({width:c,height:l}),
e.plot=s)});return a.observe(e),e.close=()=>{a.disconnect(),s?.destroy()},e}function rn({label:e,times:t,series:n,text:l,timeText:s,height:a=220,stacked:c=!1,choose:i=null}){
let f=x("div",{class:"chart",role:"img","aria-label":`${e}: ${n.map(g=>g.name).join(", ")}`}),m=n.map(g=>g.values);if(c){let g=new Array(t.length).fill(0);m=m.map(
w=>w.map((T,M)=>g[M]+=T??0))}let d=n.map((g,w)=>({label:g.name,stroke:()=>ns(w),width:1.5,points:{show:t.length<3},spanGaps:!0,fill:c?()=>ns(w):void 0,value:(T,M,L,y)=>y===
null?"\u2013":l(n[w].values[y])}));return c&&(d.reverse(),m.reverse()),Bu(f,{cursor:{drag:{x:!0,y:!1,setScale:!i}},scales:{x:{time:!1},y:{range:(g,w,T)=>[Math.min(
0,w??0),(T||1)*1.05]}},axes:[Ir((g,w)=>w.map(T=>s(T)),30),Ir((g,w)=>w.map(T=>l(T)),74)],series:[{label:"Time",value:(g,w)=>w===null?"\u2013":s(w)},...d],legend:{
live:!0},hooks:i?{setSelect:[g=>{g.select.width>3&&i(g.posToVal(g.select.left,"x"),g.posToVal(g.select.left+g.select.width,"x"))}]}:{}},[t,...m],a)}var Wr=8,Br=e=>`${e.frames?.find(t=>t.startsWith("[Python]"))??e.frames?.[1]??e.frames?.[0]??e.op} (${e.pid})`;async function Vu(e,t){let n=await ge("get_memory",
{...Je(),limit:100,bins:300},t.signal),{totals:l,sites:s,over_time:a}=n;if(!s.length)return e.append(te("Memory",Le("No call of this part obtained memory."),De(
n))),()=>{};e.append(te("Memory",Et([["Held at the end",ze(l.held_bytes)],["Held at most",ze(l.peak_bytes)],["Allocations held",ee(l.held_allocations)],["Freed,\
 but obtained before",ee(l.frees_of_unseen)],["Of unknown address",l.address_unknown?ee(l.address_unknown):null]]),De(n)));let c=null;if(a){let i=Number(Ue(a.from)-
t.origin),f=a.total_bytes.map((w,T)=>i+T*a.bin_ns),m=a.site_bytes.slice(0,Wr),d=m.map((w,T)=>({name:Br(s[T]),values:w})),g=a.total_bytes.map((w,T)=>Math.max(0,w-
m.reduce((M,L)=>M+L[T],0)));g.some(w=>w>0)&&d.push({name:"others",values:g}),c=rn({label:"Bytes held by call site",times:f,series:d,stacked:!0,text:ze,timeText:V,
height:280}),e.append(te("Held over time, by call site",c,x("p",{class:"quiet"},"The most held in each part; what the program held before the recording is not s\
een.")))}e.append(te("Call sites",pe({caption:"Call sites",rows:s.map((i,f)=>({...i,i:f})),columns:[{head:"Where",node:i=>x("span",{},x("i",{class:"dot","data-i\
nk":i.i<Wr?i.i:""}),Br(i))},{head:"Call",text:i=>i.op,sort:i=>i.op},{head:"Held",number:!0,text:i=>ze(i.held_bytes),sort:i=>i.held_bytes},{head:"At most",number:!0,
text:i=>ze(i.peak_bytes),sort:i=>i.peak_bytes},{head:"Obtained",number:!0,text:i=>ze(i.bytes),sort:i=>i.bytes},{head:"Given back",number:!0,text:i=>ze(i.freed_bytes),
sort:i=>i.freed_bytes},{head:"Calls",number:!0,text:i=>ee(i.calls),sort:i=>i.calls},{head:"Failed",number:!0,text:i=>i.failed?ee(i.failed):"",sort:i=>i.failed}]})));
for(let i of e.querySelectorAll("[data-ink]"))i.dataset.ink!==""&&(i.style.background=ns(Number(i.dataset.ink)));return()=>c?.close()}var Vr={name:"memory",title:"\
Memory",draw:Vu};var Hr=4;function Hu(e,t,n){let[l,s]=[120,18],a=x("canvas",{width:l*2,height:s*2,class:"spark",role:"img","aria-label":e?`most often about ${V(e.from_ns[e.counts.
indexOf(Math.max(...e.counts))])}`:"not known"});if(!e)return a;let c=a.getContext("2d");c.scale(2,2),c.fillStyle=xe(e.kind);let i=Math.max(...e.counts),f=m=>(Math.
log2(Math.max(m,1))-t)/(n-t)*(l-3);return e.from_ns.forEach((m,d)=>{let g=Math.max(1.5,Math.log1p(e.counts[d])/Math.log1p(i)*s);c.fillRect(f(m),s-g,Math.max(2,l/
((n-t)*Hr)-.5),g)}),a}function Yu(e,t,n){let l=_=>{let C=2**Math.floor(Math.log2(Math.max(_,1)));return _+Math.max(1,C/16)},[s,a]=[Math.log2(Math.max(e.from_ns[0],
1)),Math.log2(l(e.from_ns.at(-1)))],c=Math.max(...e.counts),i=160,f=x("canvas",{class:"distribution",role:"img","aria-label":`Distribution of ${e.op}`}),m=0,d=null,
g=null,w=_=>(Math.log2(Math.max(_,1))-s)/Math.max(a-s,.01)*m,T=_=>2**(s+_/m*(a-s));function M(){let _=devicePixelRatio||1;m=f.clientWidth,f.width=m*_,f.height=i*
_;let C=f.getContext("2d");C.scale(_,_);let S=g??(t?[w(t[0]),w(t[1])]:null);S&&(C.fillStyle=xe("chosen"),C.fillRect(Math.min(...S),0,Math.abs(S[1]-S[0]),i-18)),
C.fillStyle=xe(e.kind),e.from_ns.forEach(($,j)=>{let G=Math.max(2,Math.log1p(e.counts[j])/Math.log1p(c)*(i-24));C.fillRect(w($),i-18-G,Math.max(1,w(l($))-w($)-.5),
G)}),C.fillStyle=xe("quiet"),C.font="11px system-ui, sans-serif";let K=a-s>5?[1]:a-s>2?[1,2,5]:[1,1.5,2,3,4,5,6,7,8,9];for(let $=0,j=-60;$<12;$++)for(let G of K){
let Z=w(G*10**$);Z<Math.max(0,j+60)||Z>m-40||(C.fillText(V(G*10**$),Z,i-4),j=Z)}}f.addEventListener("pointerdown",_=>{d=_.offsetX,f.setPointerCapture(_.pointerId)}),
f.addEventListener("pointermove",_=>{d!==null&&(g=[d,_.offsetX],M())}),f.addEventListener("pointerup",_=>{let[C,S]=[d,_.offsetX].sort((K,$)=>K-$);d=g=null,n(S-C>
3?[Math.floor(T(Math.max(0,C))),Math.ceil(T(Math.min(m,S)))]:null)});let L=new ResizeObserver(M);L.observe(f);let y=(_,C,S)=>[x("label",{for:_},C),x("input",{id:_,
type:"number",min:"0",step:"any",value:S??""})],O=x("form",{class:"bar"},y("least","From \xB5s",t?t[0]/1e3:null),y("most","to \xB5s",t?t[1]/1e3:null),x("button",
{type:"submit"},"List these calls"),t?x("button",{type:"button",onclick:()=>n(null)},"All"):null);return O.addEventListener("submit",_=>{_.preventDefault();let[
C,S]=[O.querySelector("#least").value,O.querySelector("#most").value];n(C===""&&S===""?null:[Math.floor(Number(C||0)*1e3),Math.ceil(Number(S||1e12)*1e3)])}),{node:x(
"div",{},f,x("p",{class:"quiet"},"Calls by duration, both on logarithmic scales. Drag over a part to list its calls."),O),close:()=>L.disconnect()}}async function Gu(e,t,n){
let l=e.origin,s=Wn("timestamp",c=>String(Ue(c))),a=await Yt(`SELECT seq, timestamp - ${l} AS start_ns, duration, pid, tid, comm, failed, bytes, kernel FROM eve\
nts
    WHERE call = '${t.call.replaceAll("'","''")}' AND ${s} ${n?`AND duration BETWEEN ${n[0]} AND ${n[1]}`:""}
    ORDER BY duration DESC`,50,e.signal);return a.length?pe({caption:`Calls of ${t.op}, longest first`,rows:a,most:50,columns:[{head:"Took",number:!0,text:c=>V(
c.duration),sort:c=>c.duration},{head:"At",number:!0,node:c=>x("a",{href:jt({view:"timeline",from:yn(l+BigInt(c.start_ns-Math.max(1e3,c.duration??0))),to:yn(l+BigInt(
c.start_ns+2*Math.max(1e3,c.duration??0))),chosen:{call:c.seq}})},V(c.start_ns)),sort:c=>c.start_ns},{head:"Thread",text:c=>`${c.comm??""} ${c.pid}/${c.tid}`},{
head:"Bytes",number:!0,text:c=>ze(c.bytes),sort:c=>c.bytes},{head:"Failed",text:c=>c.failed?"yes":""},{head:"Kernel",text:c=>c.kernel??""}]}):Le("No call of thi\
s part took so long.")}async function qu(e,t){let[n,l]=await Promise.all([ge("get_trace_stats",Je(),t.signal),ge("get_distributions",{...Je(),per_octave:Hr},t.signal)]),
s=new Map(l.calls.map(y=>[y.call,y])),a=Math.min(10,...l.calls.map(y=>Math.log2(Math.max(y.from_ns[0],1)))),c=Math.max(11,...l.calls.map(y=>Math.log2(y.from_ns.
at(-1))+.5)),i=n.calls.reduce((y,O)=>y+(O.total_ns??0),0),f=[{head:"Call",text:y=>y.op,sort:y=>y.op},{head:"Layer",text:y=>y.layer,sort:y=>y.layer},{head:"Distr\
ibution",node:y=>Hu(s.get(y.call),a,c)},{head:"Count",number:!0,text:y=>ee(y.count),sort:y=>y.count},{head:"Total",number:!0,text:y=>V(y.total_ns),sort:y=>y.total_ns},
{head:"Share",number:!0,text:y=>y.kind==="host"?"":bn(y.total_ns/i),title:"Of all calls' time; a call made inside another is in both"},{head:"p50",number:!0,text:y=>V(
y.p50_ns),sort:y=>y.p50_ns},{head:"p95",number:!0,text:y=>V(y.p95_ns),sort:y=>y.p95_ns},{head:"p99",number:!0,text:y=>V(y.p99_ns),sort:y=>y.p99_ns},{head:"Longe\
st",number:!0,text:y=>V(y.max_ns),sort:y=>y.max_ns},{head:"Errors",number:!0,text:y=>y.errors?ee(y.errors):"",sort:y=>y.errors},{head:"Bytes",number:!0,text:y=>y.
bytes===null?"":ze(y.bytes),sort:y=>y.bytes},{head:"Off CPU",number:!0,text:y=>y.off_cpu?bn(Object.values(y.off_cpu).reduce((O,_)=>O+_,0)/y.total_ns):"",title:"\
Part of the time that the calling threads were off the CPU"}],m=W.chosen.op??null,d=y=>ut({op:y.call,least:null,most:null},!1);e.append(te("Calls",n.calls.length?
pe({caption:"Calls",rows:n.calls,columns:f,sorted:4,choose:d,key:y=>y.call,chosen:m}):Le("No call was recorded in this part.")),...n.host.length?[te("What the h\
ost did",pe({caption:"Host events",rows:n.host,columns:f.filter(({head:y})=>y!=="Off CPU"&&y!=="Share"),choose:d,key:y=>y.call,chosen:m}))]:[]);for(let y of[n,l])
y.cut.length&&e.append(De(y));if(!m)return()=>{};let g=await ge("get_distributions",{...Je(),op:m,per_octave:16},t.signal),w=g.calls.find(y=>y.call===m)??g.calls[0];
if(!w)return e.prepend(te(m,Le("It was not called in this part, or has no durations."))),()=>{};let T=W.chosen.least?[Number(W.chosen.least),Number(W.chosen.most)]:
null,M=Yu(w,T,y=>ut({least:y?.[0]??null,most:y?.[1]??null},!1)),L=[...n.calls,...n.host].find(y=>y.call===w.call);return e.prepend(te(w.op,Et([["Count",ee(w.count)],
["p50",V(L?.p50_ns)],["p99",V(L?.p99_ns)],["Longest",V(L?.max_ns)],["Library's name",w.call]]),M.node,await Gu(t,w,T))),M.close}var Yr={name:"operations",title:"\
Operations",draw:qu};var qr=e=>x("span",{class:`severity ${String(e).toLowerCase()}`},e);function Uu(e){return e?.length?x("details",{},x("summary",{},`Where it happened: ${e[0]}`),
x("ol",{class:"frames"},e.map(t=>x("li",{},t)))):null}function Gr(e,t){let n=[e.process&&`${e.process} (${e.pid})`,e.rank!==null&&e.rank!==void 0&&`rank ${e.rank}`,
e.op,e.lost_ns&&`${V(e.lost_ns)} lost`,e.onset&&`from ${vl(e.onset)}`,e.node];return x("article",{class:"chain"},x(t?"h3":"h4",{},qr(e.severity)," ",e.summary),
x("p",{class:"cause"},e.root_cause),e.explanation?x("p",{},e.explanation):null,x("p",{class:"quiet"},n.filter(Boolean).join(" \xB7 ")),e.recommendations?.length?
x("ul",{class:"remedies","aria-label":"Remedies"},e.recommendations.map(l=>x("li",{},l))):null,Uu(e.stack),e.timeline?.length?x("details",{},x("summary",{},`${e.
timeline.length} steps`),x("ol",{},e.timeline.map(l=>x("li",{},x("b",{},l.layer),` ${l.detail}`)))):null,e.onset&&e.end?x("p",{},x("a",{href:jt({view:"timeline",
from:e.onset,to:e.end,chosen:{chain:e.id}})},"Show it on the timeline")):null)}async function Ku(e,{info:t,signal:n}){let[l,s,a]=await Promise.all([ge("get_caus\
al_chains",{...Je(),top_n:20},n),ge("get_trace_stats",Je(),n),ge("get_calls_in_flight",{...Je(),limit:5},n)]),[c,...i]=l.chains,f=t.live?"No cause has been foun\
d so far.":"Nothing is wrong that the rules know of.";e.append(te("The cause",c?Gr(c,!0):Le(f),i.length?x("details",{},x("summary",{},`${i.length} more`),i.map(
d=>Gr(d,!1))):null,l.earlier_chains?.length?x("details",{},x("summary",{},`${l.earlier_chains.length} chains that the earlier agent stored`),x("ul",{},l.earlier_chains.
map(d=>x("li",{},qr(d.severity),` ${d.summary}: ${d.verdict}`)))):null,De(l))),a.calls.length&&e.append(te("Calls that have not returned",pe({caption:"Calls in \
flight, longest first",rows:a.calls,columns:[{head:"Call",text:d=>d.call},{head:"Thread",text:d=>`${d.process??""} ${d.pid}/${d.tid}`},{head:"For",text:d=>V(d.duration_ns),
number:!0}]})));let m=s.calls.slice(0,8);e.append(te("Where the calls' time went",m.length?pe({caption:"Calls by total time",rows:m,columns:[{head:"Call",node:d=>x(
"a",{href:jt({view:"operations",chosen:{op:d.call}})},d.op)},{head:"Count",text:d=>ee(d.count),number:!0},{head:"Total",text:d=>V(d.total_ns),number:!0},{head:"\
p50",text:d=>V(d.p50_ns),number:!0},{head:"p99",text:d=>V(d.p99_ns),number:!0},{head:"Longest",text:d=>V(d.max_ns),number:!0}]}):Le("No call was recorded in thi\
s part.")),te("Processes",pe({caption:"Processes",rows:s.processes,most:20,columns:[{head:"Process",text:d=>`${d.process??"?"} ${d.pid}`},{head:"Calls",text:d=>ee(
d.calls),number:!0},{head:"Errors",text:d=>ee(d.errors),number:!0},{head:"Host events",text:d=>ee(d.host_events),number:!0},{head:"Longest call",text:d=>V(d.calls?
d.max_ns:null),number:!0}]})),te("The recording",Et([["File",t.file],["Schema",t.schema],["Events in this part",ee(s.events)],["First",s.first],["Last",s.last],
["Rows pruned",s.rows_pruned?ee(s.rows_pruned):null],["Lost",s.lost===null?"not known: the earlier agent kept no account":s.lost.some(d=>d.severity!=="info")?x(
"a",{href:jt({view:"health"})},"something was: see Capture"):"nothing"]]),De(s)))}var Ur={name:"overview",title:"Overview",draw:Ku};var Al=e=>e==null?"NULL":`'${String(e).replaceAll("'","''")}'`,ho=()=>Wn("timestamp",e=>String(Ue(e))),uo=e=>e==="bytes"?ze:t=>t==null?"\u2013":_l(t),ju=["","do\
wn","initialising","armed","active","deferred"];async function Kr(e,t){let n=await Yt(t,1e4,e.signal);return{times:n.map(l=>l.at),values:n.map(l=>l.value)}}async function Ju(e,t){
let n=await ge("get_fabric",Je(),t.signal),l=jr(t);if(!n.known||!n.links.length&&!n.counters.length)e.append(te("Fabric",Le("No adapter was sampled: there was n\
one, or an earlier agent recorded this."),De(n)));else{e.append(te("Links",pe({caption:"Links",rows:n.links,columns:[{head:"Adapter",text:i=>`${i.device}, port ${i.
port}`},{head:"Layer",text:i=>i.link_layer??""},{head:"State",text:i=>ju[i.state]??String(i.state??"\u2013")},{head:"Changes",number:!0,text:i=>ee(i.changes)}]})));
let s=i=>`${i.device}|${i.port??""}|${i.origin}|${i.name}`,a=n.counters.find(i=>s(i)===W.chosen.counter),c=null;if(a){let i=await Kr(t,`SELECT timestamp - ${t.origin}\
 AS at, value FROM fabric_samples WHERE device = ${Al(a.device)} AND name = ${Al(a.name)}
        AND origin = ${Al(a.origin)} AND port IS ${a.port??"NULL"} AND ${ho()} ORDER BY timestamp`);c=rn({label:a.name,times:i.times,series:[{name:a.name,values:i.
values}],text:uo(a.unit),timeText:V}),e.append(te(`${a.device}: ${a.name}`,c))}return e.append(te("Counters",pe({caption:"Counters; choose one to see it over ti\
me",rows:n.counters,sorted:3,key:s,chosen:W.chosen.counter??null,choose:i=>ut({counter:s(i)},!1),columns:[{head:"Counter",text:i=>i.name,sort:i=>i.name},{head:"\
Adapter",text:i=>i.device,sort:i=>i.device},{head:"Port",text:i=>i.port??""},{head:"Grew by",number:!0,text:i=>uo(i.unit)(i.grew_by),sort:i=>i.grew_by},{head:"V\
alue",number:!0,text:i=>uo(i.unit)(i.value),sort:i=>i.value},{head:"Resets",number:!0,text:i=>i.resets?ee(i.resets):""}]}),De(n))),c&&e.prepend(c.parentNode),fo(
c,await l,e)}return fo(null,await l,e)}var fo=(e,t,n)=>(t&&n.append(t.card),()=>{e?.close(),t?.chart.close()});async function jr(e){let t=await Yt(`SELECT times\
tamp - ${e.origin} AS at, cpu_pct, mem_pct FROM system_snapshots WHERE ${ho()} ORDER BY timestamp`,1e4,e.signal);if(t.length<2)return null;let n=rn({label:"The \
host",times:t.map(l=>l.at),text:l=>l==null?"\u2013":`${Math.round(l)} %`,timeText:V,height:160,series:[{name:"CPU",values:t.map(l=>l.cpu_pct)},{name:"Memory",values:t.
map(l=>l.mem_pct)}]});return{chart:n,card:te("The host",n)}}async function Zu(e,t){let n=await ge("get_devices",Je(),t.signal),l=jr(t);e.append(te("Devices",n.devices.
length?pe({caption:"Devices",rows:n.devices,columns:[{head:"Device",text:i=>i.name??"?"},{head:"Driver",text:i=>i.driver??"\u2013"},{head:"UUID",text:i=>i.uuid??
"\u2013"},{head:"PCI address",text:i=>i.pci_address??"\u2013"}]}):Le("No device was seen."),n.known?null:Le("The recording has no readings: an earlier agent mad\
e it."),De(n)));let s=i=>`${i.uuid??i.pci_address}|${i.name}|${i.part}`,a=n.readings.find(i=>s(i)===W.chosen.reading),c=null;if(a){let i=await Kr(t,`SELECT time\
stamp - ${t.origin} AS at, value FROM device_samples WHERE uuid IS ${Al(a.uuid)} AND pci_address IS ${Al(a.pci_address)}
      AND name = ${Al(a.name)} AND part = ${Al(a.part)} AND ${ho()} ORDER BY timestamp`);c=rn({label:a.name,times:i.times,series:[{name:a.name,values:i.values}],
text:_l,timeText:V}),e.append(te(a.name.replaceAll("_"," "),c))}return n.readings.length&&e.append(te("Readings",pe({caption:"Readings; choose one to see it ove\
r time",rows:n.readings,key:s,chosen:W.chosen.reading??null,choose:i=>ut({reading:s(i)},!1),columns:[{head:"Reading",text:i=>`${i.name.replaceAll("_"," ")}${i.part?
` (${i.part})`:""}`,sort:i=>i.name},{head:"Device",text:i=>i.uuid??i.pci_address??"?",sort:i=>i.uuid},{head:"Last",number:!0,text:i=>i.last===null?"\u2013":_l(i.
last)},{head:"Least",number:!0,text:i=>_l(i.min)},{head:"Average",number:!0,text:i=>_l(i.avg)},{head:"Most",number:!0,text:i=>_l(i.max)},{head:"Samples",number:!0,
text:i=>ee(i.samples)}]}))),n.processes.length&&e.append(te("Memory by process",pe({caption:"Memory by process",rows:n.processes,columns:[{head:"Process",text:i=>i.
pid},{head:"Device",text:i=>i.device},{head:"Memory",number:!0,text:i=>ze(i.memory_bytes)}]}))),n.errors.length&&e.append(te("Errors of drivers",pe({caption:"Er\
rors of drivers",rows:n.errors,columns:[{head:"Kind",text:i=>`${i.kind} ${i.code??""}`},{head:"Meaning",text:i=>i.meaning??""},{head:"Process",text:i=>i.process??
""},{head:"Message",text:i=>i.message}]}))),fo(c,await l,e)}var Jr={name:"fabric",title:"Fabric",draw:Ju},Zr={name:"devices",title:"Devices",draw:Zu};var Qr=.5,ss=class{constructor(t,n){this.context=t,this.onNews=n,this.lanes=[],this.views=new Map,this.cut=[],this.abort=null}text(t){return yn(this.context.origin+
BigInt(Math.round(t)))}async want(t,n,l,s){let a=n-t,c={from:Math.max(-1e9,t-Qr*a),to:n+Qr*a},i=l.filter(d=>{let g=this.views.get(d);return!g||g.asked.from>t||g.
asked.to<n?!0:g.bins.length>0&&g.asked.to-g.asked.from>3*a});if(this.lanes.length&&i.length===0||this.abort)return;let f=new AbortController;this.abort=f;let m=await ge(
"get_timeline",{from:this.text(c.from),to:this.text(c.to),bins:Math.min(1e3,Math.max(50,Math.round(s))),...l.length?{lanes:l.slice(0,48)}:{}},f.signal).finally(
()=>{this.abort=null});this.take(m,c),this.onNews()}take(t,n){this.lanes=t.lanes,this.cut=t.cut;let l=t.from?Number(Ue(t.from)-this.context.origin):0;for(let s of t.
views){let a=new Set(s.failed);this.views.set(s.lane,{asked:n,from:l,binNs:s.bins.length?t.bin_ns:0,bins:s.bins,ops:t.ops,slices:s.start_ns.map((c,i)=>({start:l+
c,duration:s.duration_ns[i],op:t.ops[s.op[i]],depth:s.depth[i],seq:s.seq[i],failed:a.has(s.seq[i])}))})}}forget(){this.views.clear()}};var Xr=100,Qt=(e,t,n)=>Math.min(n,Math.max(t,e));function mo(e){return e.group==="thread"?`thread ${e.tid}`:e.group==="stream"?e.stream===0?"default stream":`st\
ream ${e.stream.toString(16)}`:e.group==="rank"?e.rank===null?`rank unknown (pid ${e.pid})`:`rank ${e.rank}${e.nranks?` of ${e.nranks}`:""}`:e.op}var po=e=>`${e.
process||"?"} ${e.pid}${e.node?` on ${e.node}`:""}`;function Qu(e,t){let n=[];t.length&&n.push({title:"Causes",chains:t});let l=null;for(let s of e){let a=s.group===
"rank"?"Collectives by rank":po(s);a!==l&&n.push({heading:a}),l=a,n.push({lane:s,title:mo(s)})}return n}var go=class{constructor(t,n){this.context=n,this.data=new ss(
n,()=>{this.arrange(),this.schedule()}),this.chains=[],this.lines=[],this.top=0,this.frames=[],this.canvas=x("canvas",{tabindex:"0",role:"application",id:"lanes",
"aria-roledescription":"timeline","aria-label":"Timeline. Arrow keys move, plus and minus zoom, comma and period choose calls; ? lists the keys.","aria-describe\
dby":"chosen-call"}),this.detail=x("div",{id:"chosen-call","aria-live":"polite"}),this.scroller=x("div",{class:"lanes"},this.canvas),this.where=x("span",{class:"\
quiet"});let l=(s,a,c)=>x("button",{onclick:a,title:c?`${s} (${c})`:s},s);this.cutList=x("div"),t.append(x("section",{class:"card"},x("h2",{},"Timeline"),x("div",
{class:"bar"},l("Closer",()=>this.zoom(.5),"+"),l("Farther",()=>this.zoom(2),"\u2212"),l("Earlier",()=>this.pan(-.3),"\u2190"),l("Later",()=>this.pan(.3),"\u2192"),
l("Whole",()=>this.whole(),"0"),this.where),this.scroller,this.legend(),this.cutList),te("The chosen call",this.detail)),this.listen()}legend(){return x("ul",{class:"\
legend","aria-label":"Colours"},["launch","memcpy","memset","alloc","free","sync","event","graph","collective","p2p","fabric","host"].map(n=>x("li",{},x("i",{class:`\
kind ${n}`}),n)))}async start(){let{context:t}=this,n=(a,c)=>a&&Ue(a)!==null?Number(Ue(a)-t.origin):c,l=Math.max(t.spanNs,1e3);this.from=n(W.from,-.01*l),this.to=
Math.max(this.from+Xr,n(W.to,1.01*l)),this.lane=W.chosen.lane??null,this.chosen=W.chosen.call?Number(W.chosen.call):null;let s=await ge("get_causal_chains",{top_n:-1},
t.signal);this.chains=s.chains.filter(a=>a.onset&&Ue(a.onset)!==null).map(a=>({...a,from:Number(Ue(a.onset)-t.origin),to:a.end?Number(Ue(a.end)-t.origin):t.spanNs})),
await this.data.want(this.from,this.to,[],800),this.cutList.replaceChildren(De(this.data)??""),this.chosen!==null?await this.describe():W.chosen.chain?this.describeChain(
this.chains.find(a=>a.id===W.chosen.chain)):this.detail.replaceChildren(x("p",{class:"quiet"},"None. Click one, or press comma or period on the timeline."))}arrange(){
this.lines=Qu(this.data.lanes,this.chains)}resize(){let t=this.scroller.clientWidth;if(!t)return;this.left=t<600?88:190,this.height=Qt(yt+this.lines.length*Ne+6,
160,Math.max(260,innerHeight-330));let n=devicePixelRatio||1;this.canvas.width=Math.round(t*n),this.canvas.height=Math.round(this.height*n),this.canvas.style.height=
`${this.height}px`,this.width=t-this.left,this.ratio=n,this.schedule()}schedule(){this.due||this.closed||(this.due=requestAnimationFrame(()=>{this.due=0,this.draw()}))}draw(){
if(!this.width)return;if(Qt(yt+this.lines.length*Ne+6,160,Math.max(260,innerHeight-330))!==this.height)return this.resize();let n=performance.now(),l=this.canvas.
getContext("2d");l.setTransform(this.ratio,0,0,this.ratio,0,0),l.fillStyle=xe("card"),l.fillRect(0,0,this.left+this.width,this.height);let s={from:this.from,to:this.
to,left:this.left,width:this.width,height:this.height,lane:this.lane,chosen:this.chosen,chain:W.chosen.chain};this.top=Qt(this.top,0,Math.max(0,this.lines.length*
Ne-(this.height-yt))),Or(l,s),l.save(),l.beginPath(),l.rect(0,yt,this.left+this.width,this.height-yt),l.clip();let a=this.seen();l.save(),Fr(l,a,this.data.views,
s),l.restore(),this.drawTitles(l,a),l.restore(),this.where.textContent=`${V(this.to-this.from)} from ${V(Math.max(0,this.from))} on`,this.frames.push(performance.
now()-n),this.frames.length>2e3&&this.frames.splice(0,1e3),this.canvas.frames=this.frames,this.ask()}seen(){let t=Math.floor(this.top/Ne);return this.lines.slice(
t,t+Math.ceil((this.height-yt)/Ne)+1).map((n,l)=>({line:n,y:yt+(t+l)*Ne-this.top}))}drawTitles(t,n){t.textBaseline="middle";let l=this.left<120;for(let{line:s,y:a}of n){
t.font=`${s.heading?"600 ":""}${l?11:12}px system-ui, sans-serif`;let c=s.heading??s.title,i=s.heading?t.measureText(c).width+8:this.left;t.fillStyle=s.lane&&s.
lane.lane===this.lane?xe("chosen"):xe("card"),t.fillRect(0,a,i,Ne),t.fillStyle=s.heading?xe("ink"):xe("quiet");let f=s.heading||l?2:12;s.heading?t.fillText(c,f,
a+Ne/2):t.fillText(c,f,a+Ne/2,this.left-f-4)}}ask(){this.asking||(this.asking=setTimeout(async()=>{this.asking=0;let t=this.seen().map(({line:n})=>n.lane?.lane).
filter(Boolean).slice(0,48);if(t.length)try{await this.data.want(this.from,this.to,t,this.width)}catch(n){n.name!=="AbortError"&&this.context.say(n.message)}},60))}move(t,n){
let l=Math.max(this.context.spanNs,1e3),s=Qt(n-t,Xr,1.5*l),a=Qt((t+n)/2,-.2*l,1.2*l);this.from=a-s/2,this.to=a+s/2,this.schedule(),clearTimeout(this.noting),this.
noting=setTimeout(()=>{rl({from:this.data.text(this.from),to:this.data.text(this.to),chosen:this.selection()},!0),this.context.header()},250)}selection(){return{
lane:this.lane,call:this.chosen,chain:W.chosen.chain}}zoom(t,n=.5){let l=this.to-this.from,s=this.from+n*l;this.move(s-n*l*t,s+(1-n)*l*t)}pan(t){let n=t*(this.to-
this.from);this.move(this.from+n,this.to+n)}whole(){let t=Math.max(this.context.spanNs,1e3);this.move(-.01*t,1.01*t)}chooseLane(t){let n=this.lines.map((i,f)=>({
line:i,i:f})).filter(({line:i})=>i.lane);if(!n.length)return;let l=n.findIndex(({line:i})=>i.lane.lane===this.lane),s=n[Qt(l<0?0:l+t,0,n.length-1)];this.lane=s.
line.lane.lane;let a=s.i*Ne,c=this.height-yt-Ne;this.top=Qt(this.top,a-c,a),this.context.say(`${mo(s.line.lane)}, ${po(s.line.lane)}, ${ee(s.line.lane.events)} \
events`),ut(this.selection()),this.schedule()}chooseCall(t){this.lane||this.chooseLane(0);let n=this.data.views.get(this.lane)?.slices??[];if(!n.length){this.context.
say(this.data.views.get(this.lane)?.bins.length?"Too many calls to choose one here: zoom closer.":"No call here.");return}let l=n.findIndex(a=>a.seq===this.chosen),
s=l>=0?l+t:Math.max(0,n.findIndex(a=>a.start>=this.from));this.take(n[Qt(s,0,n.length-1)])}take(t){if(this.chosen=t?.seq??null,t&&(t.start>this.to||t.start+(t.duration??
0)<this.from)){let n=(this.to-this.from)/2;this.move(t.start-n,t.start+n)}ut({...this.selection(),chain:null}),this.schedule(),this.describe()}async describe(){
let t=this.chosen;if(t!==null)try{let[n]=await Yt(`SELECT op_name, call, kind, layer, comm, pid, tid, duration, outcome, ret_code, failed, bytes, direction, str\
eam, kernel, gpu_id,
        library, parent_call, preempted_ns, runqueue_ns, blocked_ns, io_ns, culprit_comm, culprit_pid, culprit_ns FROM events WHERE seq = ${Number(t)}`,1);if(t!==
this.chosen||!n)return;let l=[["preempted",n.preempted_ns],["waiting for a CPU",n.runqueue_ns],["blocked",n.blocked_ns],["on I/O",n.io_ns]];this.detail.replaceChildren(
x("h3",{},n.op_name),Et([["Took",V(n.duration)],["Call",n.call],["Process",`${n.comm??"?"} ${n.pid}`],["Thread",n.tid],["Outcome",n.failed?`${n.outcome}, failed\
 (${n.ret_code})`:n.outcome],["Bytes",n.bytes===null?null:ze(n.bytes)],["Direction",n.direction],["Stream",n.stream===null?null:`0x${BigInt.asUintN(64,BigInt(n.
stream)).toString(16)}`],["Kernel",n.kernel],["Device",n.gpu_id],["Library",n.library],["Made inside",n.parent_call],["Off the CPU",l.filter(([,s])=>s).map(([s,
a])=>`${V(a)} ${s}`).join(", ")],["Meanwhile ran",n.culprit_comm?`${n.culprit_comm} ${n.culprit_pid}, ${V(n.culprit_ns)}`:null]]))}catch(n){n.name!=="AbortError"&&
this.context.say(n.message)}}describeChain(t){t&&this.detail.replaceChildren(x("h3",{},`${t.severity}: ${t.summary}`),x("p",{},t.root_cause),x("p",{class:"quiet"},
`from ${vl(t.onset)} to ${vl(t.end)}`))}at(t){let n=this.canvas.getBoundingClientRect(),[l,s]=[t.clientX-n.left,t.clientY-n.top],a=Qt((l-this.left)/this.width,0,
1);return{x:l,y:s,part:a,time:this.from+a*(this.to-this.from),line:this.lines[Math.floor((s-yt+this.top)/Ne)]}}click(t){let{line:n,time:l}=this.at(t);if(n?.chains){
let c=4*(this.to-this.from)/this.width,i=n.chains.find(f=>f.from-c<=l&&l<=f.to+c);i&&(this.chosen=null,ut({...this.selection(),chain:i.id}),this.describeChain(i),
this.schedule());return}if(!n?.lane)return;this.lane=n.lane.lane;let s=3*(this.to-this.from)/this.width,a=null;for(let c of this.data.views.get(this.lane)?.slices??
[]){if(c.start-s>l)break;c.start+(c.duration??1/0)+s>=l&&(!a||c.depth>=a.depth)&&(a=c)}a?this.take(a):(ut(this.selection()),this.context.say(`${mo(n.lane)}, ${po(
n.lane)}`),this.schedule())}listen(){let{canvas:t}=this;t.addEventListener("wheel",l=>{l.preventDefault(),l.ctrlKey||l.metaKey?this.zoom(Math.exp(l.deltaY/300),
this.at(l).part):l.shiftKey||Math.abs(l.deltaX)>Math.abs(l.deltaY)?this.pan((l.deltaX||l.deltaY)/this.width):this.lines.length*Ne>this.height-yt?(this.top+=l.deltaY,
this.schedule()):scrollBy(0,l.deltaY)},{passive:!1});let n=null;t.addEventListener("pointerdown",l=>{n={x:l.clientX,y:l.clientY,from:this.from,to:this.to,top:this.
top,moved:!1},t.setPointerCapture(l.pointerId)}),t.addEventListener("pointermove",l=>{if(!n)return;let[s,a]=[l.clientX-n.x,l.clientY-n.y];if(!n.moved&&Math.hypot(
s,a)<4)return;n.moved=!0;let c=-(s/this.width)*(n.to-n.from);this.top=n.top-a,this.move(n.from+c,n.to+c)}),t.addEventListener("pointerup",l=>{n&&!n.moved&&this.
click(l),n=null}),t.addEventListener("pointercancel",()=>{n=null}),t.addEventListener("keydown",l=>this.key(l)),this.observer=new ResizeObserver(()=>this.resize()),
this.observer.observe(this.scroller),this.scheme=matchMedia("(prefers-color-scheme: dark)"),this.onScheme=()=>{co(),this.schedule()},this.scheme.addEventListener(
"change",this.onScheme)}key(t){if(t.altKey||t.metaKey)return;let n=()=>(this.data.views.get(this.lane)?.slices??[]).find(s=>s.seq===this.chosen),l={ArrowLeft:()=>this.
pan(t.shiftKey?-.5:-.1),ArrowRight:()=>this.pan(t.shiftKey?.5:.1),ArrowUp:()=>t.ctrlKey?this.zoom(.7):this.chooseLane(-1),ArrowDown:()=>t.ctrlKey?this.zoom(1.4):
this.chooseLane(1),"+":()=>this.zoom(.6),"=":()=>this.zoom(.6),"-":()=>this.zoom(1.6),",":()=>this.chooseCall(-1),".":()=>this.chooseCall(1),0:()=>this.whole(),
Home:()=>this.move(0,this.to-this.from),End:()=>this.move(this.context.spanNs-(this.to-this.from),this.context.spanNs),Enter:()=>{let s=n();s&&this.move(s.start-
.2*Math.max(s.duration??0,1e3),s.start+1.2*Math.max(s.duration??0,1e3))}};l[t.key]&&(t.preventDefault(),t.stopPropagation(),l[t.key]())}close(){this.closed=!0,cancelAnimationFrame(
this.due),clearTimeout(this.asking),clearTimeout(this.noting),this.data.abort?.abort(),this.observer.disconnect(),this.scheme.removeEventListener("change",this.
onScheme)}},ot=null;async function Xu(e,t){co();let n=new go(e,t);return await n.start(),n.arrange(),ot=n,()=>n.close()}async function ef(e){if(!ot||ot.closed)return;
let t=ot.to>=ot.context.spanNs;if(ot.context.spanNs=e.spanNs,ot.data.forget(),!W.from&&!W.to)ot.from=-.01*e.spanNs,ot.to=1.01*e.spanNs;else if(t&&ot.to<e.spanNs){
let n=ot.to-ot.from;ot.from=e.spanNs-n,ot.to=e.spanNs+.01*n}ot.schedule()}var ea={name:"timeline",title:"Timeline",draw:Xu,refresh:ef};var an=[Ur,Yr,ea,ai,Vr,ii,Jr,Zr,ci],tf=2e3,Xt=document.getElementById("main"),os=document.getElementById("notice"),lf=document.getElementById("status"),it={info:null,
origin:0n,spanNs:0,say:e=>{lf.textContent=e},header:()=>is()},$l=null,Cn=!0;async function nf(){let e=await ge("get_trace_stats"),{file:t,live:n,earlier_agent:l,
schema:s}=e.recording;it.info={file:t,live:n,earlier:l,schema:s,first:e.first,last:e.last,events:e.events},it.origin=Ue(e.first)??0n,it.spanNs=e.last?Number(Ue(
e.last)-it.origin):0}function is(){let{file:e,live:t,earlier:n,first:l,events:s}=it.info;document.title=`${an.find(d=>d.name===W.view)?.title??"?"} \u2013 ${e} \
\u2013 ingero`;let a=[e,`${Number(s).toLocaleString("en")} events`,l?`${V(it.spanNs)} from ${l.slice(0,10)} ${vl(l)} UTC`:"no event yet"];n&&a.push("made by the\
 earlier agent"),document.getElementById("recording").replaceChildren(x("span",{},a.join(" \xB7 ")),...t?[" ",x("button",{id:"follow","aria-pressed":String(Cn),
onclick:()=>{Cn=!Cn,is()}},Cn?"Live: following":"Live: paused")]:[]),document.getElementById("views").replaceChildren(...an.map((d,g)=>x("a",{href:jt({view:d.name}),
"aria-current":d.name===W.view?"page":void 0,"aria-keyshortcuts":String(g+1)},d.title)));let c=document.getElementById("part");if(!W.from&&!W.to){c.replaceChildren(
"Whole recording");return}let i=(d,g)=>d?Number((Ue(d)??it.origin)-it.origin):g,[f,m]=[i(W.from,0),i(W.to,it.spanNs)];c.replaceChildren(`Part: ${V(Math.max(0,m-
f))}, from ${V(f)} on `,x("button",{id:"whole",onclick:()=>rl({from:null,to:null,chosen:W.chosen})},"Whole recording"))}async function ta(e=!1){let t=an.find(m=>m.
name===W.view)??an[0],n=new AbortController,l=$l;l?.abort.abort();let s={view:t,abort:n};$l=s,is(),e||Xt.setAttribute("aria-busy","true");let a=x("div",{class:`\
view ${t.name}`});try{if(s.close=await t.draw(a,{...it,signal:n.signal}),$l!==s){s.close?.();return}os.hidden=!0}catch(m){if($l!==s||m.name==="AbortError")return;
if(m instanceof il&&m.status===401)return bo(m.message);a.replaceChildren(),wo(m)}l?.close?.();let c="a,button,input,select,[tabindex]",i=[...Xt.querySelectorAll(
c)].indexOf(document.activeElement),f=[scrollX,scrollY];Xt.replaceChildren(a),Xt.removeAttribute("aria-busy"),t.shown?.(a),e&&(i>=0&&Xt.querySelectorAll(c)[i]?.
focus({preventScroll:!0}),scrollTo(...f))}function wo(e){os.textContent=e instanceof il?e.message:`This page failed: ${e.message}`,os.hidden=!1,e instanceof il||
console.error(e)}async function la(){let e=!it.info||it.info.live&&Cn&&!document.hidden;try{if(e){let t=!it.info;await nf(),os.hidden=!0,$l?.view.refresh&&!t?(is(),
await $l.view.refresh(it)):await ta(!0)}}catch(t){if(t.status===401)return bo(t.message);wo(t)}setTimeout(la,tf)}async function bo(e){try{e?await $s(Xt,e):await Qo(
Xt)}catch(t){wo(t)}la()}addEventListener("keydown",e=>si(e,an,$l?.view));document.getElementById("skip").addEventListener("click",e=>{e.preventDefault(),Xt.focus()});
ei(()=>it.info&&ta().then(()=>{document.activeElement===document.body&&Xt.focus({preventScroll:!0})}));ti();ni(an);bo();
