// Made by serve/page/build.mjs from serve/page/source/: change those.
function y(e,t={},...n){let l=document.createElement(e);for(let[s,i]of Object.entries(t))i==null||i===!1||(s.startsWith("on")?l.addEventListener(s.slice(2),i):l.
setAttribute(s,i===!0?"":String(i)));for(let s of n.flat())s==null||s===!1||l.append(s instanceof Node?s:document.createTextNode(String(s)));return l}var yl="\u2013",
ql=e=>e!=null;function hi(e){let t=Math.abs(e);return t>=100?e.toFixed(0):t>=10?e.toFixed(1):e.toFixed(2)}var hc=[["s",1e9],["ms",1e6],["\xB5s",1e3]];function R(e){
if(!ql(e))return yl;let t=Math.abs(e);if(t===0)return"0";if(t>=36e11)return`${(e/36e11).toFixed(1)} h`;if(t>=12e10)return`${(e/6e10).toFixed(1)} min`;for(let[n,
l]of hc)if(t>=l)return`${hi(e/l)} ${n}`;return`${Math.round(e)} ns`}function De(e){if(!ql(e))return yl;for(let[t,n]of[["TB",1e12],["GB",1e9],["MB",1e6],["kB",1e3]])
if(Math.abs(e)>=n)return`${hi(e/n)} ${t}`;return`${e} B`}function H(e){return ql(e)?Number(e).toLocaleString("en"):yl}function jt(e){for(let[t,n]of[["T",1e12],[
"G",1e9],["M",1e6],["k",1e3]])if(Math.abs(e)>=n)return`${+(e/n).toPrecision(3)}${t}`;return String(+e.toPrecision(3))}function xl(e){return ql(e)&&Number.isFinite(
e)?`${(100*e).toFixed(e<.1?1:0)} %`:yl}function Re(e){let t=/^(.*?)(?:\.(\d{1,9}))?Z$/.exec(e??""),n=t?Date.parse(`${t[1]}Z`):NaN;return Number.isNaN(n)?null:BigInt(
n)*1000000n+BigInt((t[2]??"").padEnd(9,"0"))}function un(e){let t=e/1000000000n;return`${new Date(Number(t)*1e3).toISOString().slice(0,19)}.${String(e-t*1000000000n).
padStart(9,"0")}Z`}function En(e){return e?e.slice(11,23).replace("Z",""):yl}var _l="ingero-token",Ft=class extends Error{constructor(t,n,l){super(l),this.status=t,this.word=n}},dc=/"(?:[^"\\]|\\.)*"|(?<![\d.])-?\d{16,}(?![\d.eE])/g,mc=e=>JSON.
parse(e.replace(dc,t=>t[0]==='"'||Number.isSafeInteger(Number(t))?t:`"${t}"`));async function di(e,t,n,l){let s=sessionStorage.getItem(_l),i=s?{Authorization:`B\
earer ${s}`}:{};n!==void 0&&(i["Content-Type"]="application/json");let c;try{c=await fetch(t,{method:e,headers:i,body:n,signal:l,credentials:"omit",cache:"no-st\
ore"})}catch(u){throw u.name==="AbortError"?u:new Ft(0,"gone","the server does not answer")}let r;try{r=mc(await c.text())}catch(u){if(u.name==="AbortError")throw u;
if(c.ok)throw new Ft(c.status,"internal",`the server's answer cannot be read: ${u.message}`);r={error:`status ${c.status}`,class:"internal"}}if(!c.ok)throw new Ft(
c.status,r.class,r.error);return r}var pc={get_trace_stats:"the figures of all calls",get_causal_chains:"the causes",get_calls_in_flight:"calls that have not re\
turned",get_distributions:"distributions",get_timeline:"the timeline",get_stacks:"stacks",get_memory:"memory by call site",get_collectives:"collectives",get_inference:"\
steps of inference",get_fabric:"counters of the fabric",get_devices:"readings of devices"},Is=new Set,Fs=[],mi=()=>{},pi=e=>Fs.push(e),gi=()=>[...new Set([...Is].
map(e=>e.about))],wi=e=>{mi=e};async function me(e,t={},n=void 0){let l={about:pc[e]??"rows"};Is.add(l);for(let s of Fs)s();try{let s=await di("POST",`/api/v1/t\
ools/${e}`,JSON.stringify(t),n);return n?.throwIfAborted(),s.recording&&mi(s.recording),s}finally{Is.delete(l);for(let s of Fs)s()}}var bi=e=>di("GET",e);async function At(e,t=1e3,n=void 0){
let l=await me("run_sql",{query:e,limit:t},n);return l.data.map(s=>Object.fromEntries(s.map((i,c)=>[l.columns[c],i])))}async function yi(){let{asks_token:e}=await bi(
"/page.json");return e&&!sessionStorage.getItem(_l)}function xi(e,t){return sessionStorage.removeItem(_l),new Promise(n=>{let l=y("input",{id:"token",type:"pass\
word",autocomplete:"off",spellcheck:"false",required:!0}),s=y("p",{role:"alert"},t),i=y("form",{class:"card login"},y("h2",{},"Token"),y("p",{},"The server was \
started with a token, and shows the recording to those who have it. It is kept in this tab only."),y("label",{for:"token"},"Bearer token"),l,y("button",{type:"s\
ubmit"},"Open"),s);i.addEventListener("submit",async c=>{c.preventDefault(),sessionStorage.setItem(_l,l.value);try{await bi("/api/v1/health"),n()}catch(r){sessionStorage.
removeItem(_l),s.textContent=r.status===401?"That is not the token.":r.message,l.select()}}),e.replaceChildren(i),l.focus()})}var F={view:"overview",from:null,to:null,chosen:{}},_i=[],vi=e=>_i.push(e);function Ws(){let[e,t=""]=location.hash.replace(/^#\/?/,"").split("?"),n=new URLSearchParams(
t);F.view=e||"overview",F.from=n.get("from"),F.to=n.get("to"),n.delete("from"),n.delete("to"),F.chosen=Object.fromEntries(n)}function Ct({view:e=F.view,from:t=F.
from,to:n=F.to,chosen:l={}}={}){let s=new URLSearchParams;t&&s.set("from",t),n&&s.set("to",n);for(let[c,r]of Object.entries(l))r!=null&&s.set(c,r);let i=s.toString();
return`#/${e}${i?`?${i}`:""}`}function fn(e,t=!1){let n=Ct(e);if(n!==location.hash){if(!t){location.hash=n;return}history.replaceState(null,"",n),Ws()}}var tt=(e,t=!0)=>fn(
{chosen:{...F.chosen,...e}},t),ze=()=>({...F.from&&{from:F.from},...F.to&&{to:F.to}});function el(e,t){let n=[];return F.from&&n.push(`${e} >= ${t(F.from)}`),F.
to&&n.push(`${e} <= ${t(F.to)}`),n.length?n.join(" AND "):"1"}function Si(){Ws(),addEventListener("hashchange",()=>{Ws();for(let e of _i)e()})}var Bs=e=>(e+1).toString(36),gc=[["1 to 9, a","the views, in their order"],["0","the whole recording"],["?","this list"],["Escape","closes it"]],wc=[["\u2190 \u2192",
"earlier, later"],["+ \u2212","closer, farther (also \u2191 \u2193 with Ctrl, or the wheel with Ctrl)"],["\u2191 \u2193","the lane above, below"],[", .","the pr\
evious, the next call of the lane"],["Enter","as close as the chosen call"],["Home End","the beginning, the end"]],Ul=document.getElementById("keys"),ki=(e,t)=>[
y("h3",{},e),y("dl",{class:"keys"},t.map(([n,l])=>y("div",{},y("dt",{},y("kbd",{},n)),y("dd",{},l))))];function Mi(){Ul.replaceChildren(y("h2",{id:"keys-title"},
"Keys"),...ki("Everywhere",gc),...ki("On the timeline",wc),y("button",{onclick:()=>Ul.close()},"Close"))}var bc=e=>e instanceof HTMLElement&&(e.isContentEditable||
/^(INPUT|SELECT|TEXTAREA)$/.test(e.tagName));function Ei(e,t){if(e.ctrlKey||e.metaKey||e.altKey||bc(e.target)||Ul.open)return;let n=t.findIndex((l,s)=>Bs(s)===e.
key);if(e.key==="?")Ul.showModal();else if(e.key==="0")fn({from:null,to:null});else if(n>=0)fn({view:t[n].name});else return;e.preventDefault()}var Ti={ArrowRight:1,ArrowDown:1,ArrowLeft:-1,ArrowUp:-1};function yc(e){let t=e.map((l,s)=>y("a",{role:"tab",id:`tab-${l.name}`,"aria-controls":"view","aria-ke\
yshortcuts":Bs(s)},l.title)),n=y("div",{role:"tablist",class:"tabs","aria-label":"Views"},t);return n.addEventListener("keydown",l=>{let s=t.indexOf(l.target);if(s<
0||l.ctrlKey||l.metaKey||l.altKey)return;let i={Home:0,End:t.length-1};if(l.key===" ")t[s].click();else if(l.key in Ti)t[(s+Ti[l.key]+t.length)%t.length].focus();else if(l.
key in i)t[i[l.key]].focus();else return;l.preventDefault()}),{links:t,list:n}}var Yl=class{constructor(t,n){this.views=t,this.text=y("span"),this.follow=y("but\
ton",{id:"follow",onclick:n}),this.part=y("span"),this.whole=y("button",{id:"whole",onclick:()=>fn({from:null,to:null,chosen:F.chosen})},"Whole recording");let{
links:l,list:s}=yc(t);this.links=l,document.getElementById("recording").append(this.text," ",this.follow),document.getElementById("views").append(s),document.getElementById(
"part").append(this.part," ",this.whole)}draw({info:t,origin:n,spanNs:l},s){let i=this.views.find(S=>S.name===F.view)??this.views[0];if(document.title=[i.title,
t?.file,"ingero"].filter(Boolean).join(" \u2013 "),this.links.forEach((S,C)=>{let x=this.views[C]===i;S.href=Ct({view:this.views[C].name}),S.setAttribute("aria-\
selected",String(x)),S.tabIndex=x?0:-1}),this.follow.hidden=!t?.live,this.whole.hidden=!F.from&&!F.to,!t){this.text.textContent="",this.part.textContent="";return}
let{file:c,legacy:r,first:u,events:d}=t,w=[c,`${H(d)} events`,u?`${R(l)} from ${u.slice(0,10)} ${En(u)} UTC`:"no event yet"];if(r&&w.push("made by the legacy ag\
ent"),this.text.textContent=w.join(" \xB7 "),this.follow.textContent=s?"Live: following":"Live: paused",this.follow.setAttribute("aria-pressed",String(s)),this.
whole.hidden){this.part.textContent="Whole recording";return}let p=(S,C)=>S?Number((Re(S)??n)-n):C,[g,E]=[p(F.from,0),p(F.to,l)];this.part.textContent=`Part: ${R(
Math.max(0,E-g))}, from ${R(g)} on`}};var Vs=document.getElementById("progress"),Ai=y("span"),Ci=y("span",{"aria-hidden":"true"});Vs.replaceChildren(Ai,Ci);var vl=null,$i=0;function zs(){if(vl===null)
return;let e=gi();Ai.textContent=`Loading ${e.length?e.join(", "):"the view"}`;let t=Math.floor((performance.now()-vl)/1e3);Ci.textContent=t?` \u2026 ${t} s`:" \
\u2026"}pi(zs);function Hs(){vl===null&&($i=setInterval(zs,1e3)),vl=performance.now(),Vs.hidden=!1,zs()}function Gl(){vl=null,clearInterval($i),Vs.hidden=!0}var qs=(e=3)=>y(
"div",{class:"waiting","aria-hidden":"true"},Array.from({length:e},()=>y("i"))),Li=e=>y("div",{class:"view outline"},y("section",{class:"card"},y("h2",{},e),qs(
6)));var Ni=new Map;function ie({caption:e,columns:t,rows:n,sorted:l=null,choose:s=null,key:i=null,chosen:c=null,most:r=200}){let u=Ni.get(e)??{by:l,down:!0};Ni.set(
e,u);let d=y("tbody"),w=y("p",{class:"quiet"});function p(){let S=t[u.by],C=n;S?.sort&&(C=[...n].sort((x,I)=>{let[_,A]=[S.sort(x),S.sort(I)],k=_===A?0:_==null?-1:
A==null?1:_<A?-1:1;return u.down?-k:k})),d.replaceChildren(...C.slice(0,r).map(x=>{let I=y("tr",{"aria-selected":i&&c!==null?String(i(x))===String(c):void 0});return t.
forEach((_,A)=>{let k=_.node?_.node(x):_.text(x);I.append(y(A===0?"th":"td",{scope:A===0?"row":void 0,class:_.number?"number":void 0},A===0&&s?y("button",{class:"\
plain",onclick:()=>s(x)},k):k))}),I})),w.textContent=n.length>r?`${r} of ${n.length} rows are shown.`:"",g.forEach((x,I)=>x.setAttribute("aria-sort",I!==u.by?"n\
one":u.down?"descending":"ascending"))}let g=t.map((S,C)=>y("th",{scope:"col",class:S.number?"number":void 0,title:S.title},S.sort?y("button",{class:"plain",onclick:()=>{
u.down=u.by===C?!u.down:!0,u.by=C,p()}},S.head):S.head)),E=y("div",{class:"table",tabindex:"0",role:"group","aria-label":e},y("table",{},y("caption",{},e),y("th\
ead",{},y("tr",{},g)),d),w);return p(),E}function $t(e){return y("dl",{class:"facts"},e.filter(([,t])=>t!=null&&t!=="").map(([t,n])=>y("div",{},y("dt",{},t),y("\
dd",{},n))))}var G=(e,...t)=>y("section",{class:"card"},y("h2",{},e),...t),we=e=>y("p",{class:"quiet"},e),Ce=e=>e?.cut?.length?y("ul",{class:"cut"},e.cut.map(t=>y(
"li",{},t))):null;var Di=e=>e===null?"made before the recording":BigInt(e).toString(16);async function xc(e,t){let n=await me("get_collectives",ze(),t.signal);if(!n.communicators.
length){e.append(G("Collectives",we("No collective was called in this part."),Ce(n)));return}for(let l of n.communicators)e.append(G(`Communicator ${Di(l.comm_id_hash)}`,
$t([["Ranks",l.nranks],["Ranks seen here",H(l.ranks_seen)],["Collectives that several entered",H(l.rounds)],["First to last, at most",l.max_skew_ns===null?null:
R(l.max_skew_ns)]]),l.hangs.length?y("ul",{class:"cut"},l.hangs.map(s=>y("li",{},`${s.call} number ${s.number}: ranks ${s.missing} missing while ${s.present} wa\
ited ${R(s.waited_ns)}${s.is_over?"":", still"}`))):null,ie({caption:"Calls",rows:l.ops,columns:[{head:"Call",text:s=>s.call},{head:"Calls",number:!0,text:s=>H(
s.calls)},{head:"Bytes",number:!0,text:s=>De(s.bytes)},{head:"Average wait",number:!0,text:s=>R(s.average_wait_ns)},{head:"Longest wait",number:!0,text:s=>R(s.max_wait_ns)}]}),
l.last.length?ie({caption:"Who came last",rows:l.last,columns:[{head:"Came last",text:s=>s.rank===null?`pid ${s.pid}`:`rank ${s.rank}`},{head:"Times",number:!0,
text:s=>H(s.times)},{head:"After the first, at most",number:!0,text:s=>R(s.max_skew_ns)},{head:"After the one before",number:!0,text:s=>R(s.late_ns)}]}):null));
e.append(G("By rank",ie({caption:"By rank",rows:n.ranks,columns:[{head:"Rank",text:l=>l.rank===null?`pid ${l.pid}`:l.rank,sort:l=>l.rank},{head:"Communicator",text:l=>Di(
l.comm_id_hash)},{head:"Calls",number:!0,text:l=>H(l.calls),sort:l=>l.calls},{head:"Bytes",number:!0,text:l=>De(l.bytes),sort:l=>l.bytes},{head:"Average wait",number:!0,
text:l=>R(l.average_wait_ns),sort:l=>l.average_wait_ns},{head:"Longest wait",number:!0,text:l=>R(l.max_wait_ns),sort:l=>l.max_wait_ns},{head:"Last number",number:!0,
text:l=>H(l.last_number),sort:l=>l.last_number}]}),Ce(n)))}var Pi={name:"collectives",title:"Collectives",draw:xc};function _c(e){let t={name:"all",ns:0,n:0,children:new Map};for(let n of e){if(!n.frames?.length)continue;t.ns+=n.total_ns??0,t.n+=n.n;let l=t;for(let s of[...n.
frames].reverse())l.children.has(s)||l.children.set(s,{name:s,ns:0,n:0,children:new Map}),l=l.children.get(s),l.ns+=n.total_ns??0,l.n+=n.n}return t}function vc(e,t){
let n=e;for(let l of t)if(n=n.children.get(l),!n)return null;return n}var Sc=e=>e.children.size===0?"leaf":/\.py\b|\[Python\]/.test(e.name)?"python":"native";function Ri(e,t,n,l,s=0){
if(s>60)return null;let i=[...e.children.values()].sort((c,r)=>r.ns-c.ns).filter(c=>c.ns/t.ns>.002);return y("ul",{class:"icicle"},i.map(c=>{let r=y("li",{},y("\
button",{class:`box ${Sc(c)}`,title:`${c.name}: ${R(c.ns)}, ${xl(c.ns/t.ns)}, ${H(c.n)} calls`,onclick:()=>l([...n,c.name])},c.name),Ri(c,t,[...n,c.name],l,s+1));
return r.style.flexGrow=String(c.ns),r.style.width=`${100*c.ns/e.ns}%`,r}))}async function kc(e,t){let n=await me("get_stacks",{...ze(),limit:100,...F.chosen.op&&
{op:F.chosen.op}},t.signal),l=n.stacks.filter(w=>w.frames?.length),s=_c(l),i=[];try{i=JSON.parse(F.chosen.path??"[]")}catch{i=[]}let c=Array.isArray(i)?vc(s,i.map(
String))??s:s;c===s&&(i=[]);let r=w=>tt({path:w.length?JSON.stringify(w):null},!1),u=[...new Set(n.stacks.map(w=>w.op))].sort(),d=y("select",{id:"op"},y("option",
{value:""},"all calls"),u.map(w=>y("option",{value:w,selected:w===F.chosen.op},w)));F.chosen.op&&!u.includes(F.chosen.op)&&d.append(y("option",{value:F.chosen.op,
selected:!0},F.chosen.op)),d.addEventListener("change",()=>tt({op:d.value||null,path:null},!1)),e.append(y("section",{class:"card"},y("h2",{},"Where calls were \
made"),y("div",{class:"bar"},y("label",{for:"op"},"Of"),d,i.length?y("button",{onclick:()=>r([])},"All of it"):null,i.length?y("button",{onclick:()=>r(i.slice(0,
-1))},"One frame out"):null),l.length?y("div",{},i.length?y("p",{},i.at(-1)):null,y("p",{class:"quiet"},`${R(c.ns)} in ${H(c.n)} calls; a frame is as wide as it\
s share, the calls stand at the bottom.`),y("div",{class:"flames",role:"group","aria-label":"Flame graph"},Ri(c,c,i,r))):we("This part has no stacks: not every \
call has one (trace --stack), and recordings of the earlier agent may have none."),Ce(n))),n.stacks.length&&e.append(G("Stacks",ie({caption:"Stacks by time",rows:n.
stacks,sorted:2,columns:[{head:"Call",text:w=>w.op,sort:w=>w.op},{head:"Calls",number:!0,text:w=>H(w.n),sort:w=>w.n},{head:"Time",number:!0,text:w=>R(w.total_ns),
sort:w=>w.total_ns},{head:"Longest",number:!0,text:w=>R(w.max_us===null?null:w.max_us*1e3),sort:w=>w.max_us},{head:"Innermost frames",text:w=>(w.frames??[]).slice(
0,3).join(" < ")||"not known"}]})))}var Oi={name:"flame",title:"Flame graph",draw:kc};function Mc(e){let t=e.flatMap(n=>n.rows.filter(l=>l.state!=="resolved").map(l=>({...l,library:n.library})));return y("div",{},ie({caption:"Rows by library of t\
his machine",rows:e,columns:[{head:"Library",text:n=>n.path},{head:"Version",text:n=>n.version??""},{head:"Processes",number:!0,text:n=>H(n.pids.length)},{head:"\
Resolved",number:!0,text:n=>H(n.resolved)},{head:"Absent",number:!0,text:n=>H(n.absent)},{head:"Refused",number:!0,text:n=>H(n.refused)},{head:"Single-stepped",
number:!0,text:n=>H(n.single_stepped)}]}),t.length?y("details",{},y("summary",{},`${H(t.length)} rows are absent or refused`),ie({caption:"Absent and refused ro\
ws",rows:t,columns:[{head:"Call",text:n=>n.call},{head:"Library",text:n=>n.library},{head:"State",text:n=>n.state},{head:"Why",text:n=>[n.reason,n.remedy].filter(
Boolean).join("; ")}]})):null)}async function Ec(e,{info:t,signal:n}){let[l,s,i]=await Promise.all([me("get_trace_stats",{},n),At("SELECT id, (CASE WHEN stopped\
_at > 0 THEN stopped_at - started_at END) AS lasted_ns, kernel, os_release, cpu_model, cpu_cores, gpu_model, gpu_driver, flags, pid_filter, node, ingero_ver FRO\
M sessions ORDER BY id",50,n),t.earlier?Promise.resolve(null):At("SELECT backend, library, library_version, count(*) AS rows, count(DISTINCT name) AS calls FROM\
 sites GROUP BY 1, 2, 3 ORDER BY rows DESC",200,n)]),c=l.lost;e.append(G("What was lost",c===null?we("Not known: the earlier agent kept no account of it."):c.length===
0?we("Nothing."):ie({caption:"Losses",rows:c,sorted:1,columns:[{head:"What",text:u=>u.sentence},{head:"Count",number:!0,text:u=>H(u.count),sort:u=>u.count},{head:"\
Severity",node:u=>y("span",{class:`severity ${u.severity==="info"?"low":"medium"}`},u.severity),sort:u=>u.severity},{head:"Name",text:u=>u.name}]}))),e.append(G(
"Rows in use, by library",i===null?we("Not known: the earlier agent did not store it."):i.length===0?we("No call of a library was captured."):ie({caption:"Libra\
ries",rows:i,columns:[{head:"Library",text:u=>u.library??"the kernel"},{head:"Version",text:u=>u.library_version??""},{head:"Backend",text:u=>u.backend},{head:"\
Calls",number:!0,text:u=>H(u.calls)},{head:"Spellings",number:!0,text:u=>H(u.rows)}]}),y("p",{class:"quiet"},"Rows that saw at least one call. Which rows can be\
 attached at all, the check below says for the machine that serves this page."))),e.append(G("Runs of the agent",ie({caption:"Runs",rows:s,columns:[{head:"Run",
text:u=>`${u.id}${u.node?` on ${u.node}`:""}`},{head:"Lasted",number:!0,text:u=>u.lasted_ns===null?t.live?"running":"killed":R(u.lasted_ns)},{head:"Flags",text:u=>u.
flags??""},{head:"Processes",text:u=>u.pid_filter||"all"},{head:"Kernel",text:u=>u.kernel??""},{head:"CPU",text:u=>`${u.cpu_model??""}${u.cpu_cores?`, ${u.cpu_cores}`:
""}`},{head:"Device",text:u=>u.gpu_model??""},{head:"Version",text:u=>u.ingero_ver??""}]}),$t([["Events",H(l.events)],["Rows pruned to keep the file small",l.rows_pruned?
H(l.rows_pruned):"none"]]),Ce(l)));let r=y("div",{},y("button",{id:"check",onclick:async()=>{r.replaceChildren(y("p",{class:"quiet"},"Looking\u2026"));try{let u=await me(
"get_check");r.replaceChildren(y("p",{},`This machine is ${u.status}.`),Mc(u.libraries),ie({caption:"Checks of this machine",rows:u.checks,columns:[{head:"Check",
text:d=>d.name},{head:"Verdict",text:d=>d.pass===null?"could not tell":d.pass?"passed":d.optional?"missing, not needed":"failed"},{head:"What was found",text:d=>[
d.value,d.detail,d.recommendation].filter(Boolean).join("; ")}]}))}catch(u){r.replaceChildren(y("p",{role:"alert"},u.message))}}},"Check this machine"));e.append(
G("The machine that serves this page",r))}var Ii={name:"health",title:"Capture",draw:Ec};var Tc="uplot",Ac="u-hz",Cc="u-vt",$c="u-title",Lc="u-wrap",Nc="u-under",Dc="u-over",Pc="u-axis",Cn="u-off",Rc="u-select",Oc="u-cursor-x",Ic="u-cursor-y",Fc="u-\
cursor-pt",Wc="u-legend",Bc="u-live",zc="u-inline",Vc="u-series",Hc="u-marker",Fi="u-label",qc="u-value",kl="width",Ml="height";var Wi="bottom",tl="left",Us="right",ao="#000",Bi=ao+"0",Ys="mousemove",zi="mousedown",Gs="mouseup",Vi="mouseenter",Hi="mouseleave",qi="dblclick",Uc="resize",Yc="\
scroll",Ui="change",Ql="dppxchange",co="--",al=typeof window<"u",Qs=al?document:null,ll=al?window:null,Gc=al?navigator:null,fe,Kl;function Xs(){let e=devicePixelRatio;
fe!=e&&(fe=e,Kl&&to(Ui,Kl,Xs),Kl=matchMedia(`(min-resolution: ${fe-.001}dppx) and (max-resolution: ${fe+.001}dppx)`),$n(Ui,Kl,Xs),ll.dispatchEvent(new CustomEvent(
Ql)))}function wt(e,t){if(t!=null){let n=e.classList;!n.contains(t)&&n.add(t)}}function eo(e,t){let n=e.classList;n.contains(t)&&n.remove(t)}function Me(e,t,n){
e.style[t]=n+"px"}function Wt(e,t,n,l){let s=Qs.createElement(e);return t!=null&&wt(s,t),n?.insertBefore(s,l),s}function Lt(e,t){return Wt("div",e,t)}var Yi=new WeakMap;
function Jt(e,t,n,l,s){let i="translate("+t+"px,"+n+"px)",c=Yi.get(e);i!=c&&(e.style.transform=i,Yi.set(e,i),t<0||n<0||t>l||n>s?wt(e,Cn):eo(e,Cn))}var Gi=new WeakMap;
function Ki(e,t,n){let l=t+n,s=Gi.get(e);l!=s&&(Gi.set(e,l),e.style.background=t,e.style.borderColor=n)}var ji=new WeakMap;function Ji(e,t,n,l){let s=t+""+n,i=ji.
get(e);s!=i&&(ji.set(e,s),e.style.height=n+"px",e.style.width=t+"px",e.style.marginLeft=l?-t/2+"px":0,e.style.marginTop=l?-n/2+"px":0)}var uo={passive:!0},Kc={...uo,
capture:!0};function $n(e,t,n,l){t.addEventListener(e,n,l?Kc:uo)}function to(e,t,n,l){t.removeEventListener(e,n,uo)}al&&Xs();function Bt(e,t,n,l){let s;n=n||0,l=
l||t.length-1;let i=l<=2147483647;for(;l-n>1;)s=i?n+l>>1:bt((n+l)/2),t[s]<e?n=s:l=s;return e-t[n]<=t[l]-e?n:l}function kr(e){return(n,l,s)=>{let i=-1,c=-1;for(let r=l;r<=
s;r++)if(e(n[r])){i=r;break}for(let r=s;r>=l;r--)if(e(n[r])){c=r;break}return[i,c]}}var Mr=e=>e!=null,Er=e=>e!=null&&e>0,ts=kr(Mr),jc=kr(Er);function Jc(e,t,n,l=0,s=!1){
let i=s?jc:ts,c=s?Er:Mr;[t,n]=i(e,t,n);let r=e[t],u=e[t];if(t>-1)if(l==1)r=e[t],u=e[n];else if(l==-1)r=e[n],u=e[t];else for(let d=t;d<=n;d++){let w=e[d];c(w)&&(w<
r?r=w:w>u&&(u=w))}return[r??be,u??-be]}function ns(e,t,n,l){let s=Xi(e),i=Xi(t);e==t&&(s==-1?(e*=n,t/=n):(e/=n,t*=n));let c=n==10?en:Tr,r=s==1?bt:Nt,u=i==1?Nt:bt,
d=r(c(He(e))),w=u(c(He(t))),p=sl(n,d),g=sl(n,w);return n==10&&(d<0&&(p=ye(p,-d)),w<0&&(g=ye(g,-w))),l||n==2?(e=p*s,t=g*i):(e=Lr(e,p),t=ls(t,g)),[e,t]}function fo(e,t,n,l){
let s=ns(e,t,n,l);return e==0&&(s[0]=0),t==0&&(s[1]=0),s}var ho=.1,Zi={mode:3,pad:ho},Tl={pad:0,soft:null,mode:0},Zc={min:Tl,max:Tl};function Xl(e,t,n,l){return ss(
n)?Qi(e,t,n):(Tl.pad=n,Tl.soft=l?0:null,Tl.mode=l?3:0,Qi(e,t,Zc))}function ce(e,t){return e??t}function Qc(e,t,n){for(t=ce(t,0),n=ce(n,e.length-1);t<=n;){if(e[t]!=
null)return!0;t++}return!1}function Qi(e,t,n){let l=n.min,s=n.max,i=ce(l.pad,0),c=ce(s.pad,0),r=ce(l.hard,-be),u=ce(s.hard,be),d=ce(l.soft,be),w=ce(s.soft,-be),
p=ce(l.mode,0),g=ce(s.mode,0),E=t-e,S=en(E),C=rt(He(e),He(t)),x=en(C),I=He(x-S);(E<1e-24||I>10)&&(E=0,(e==0||t==0)&&(E=1e-24,p==2&&d!=be&&(i=0),g==2&&w!=-be&&(c=
0)));let _=E||C||1e3,A=en(_),k=sl(10,bt(A)),J=_*(E==0?e==0?.1:1:i),L=ye(Lr(e-J,k/10),24),Z=e>=d&&(p==1||p==3&&L<=d||p==2&&L>=d)?d:be,Y=rt(r,L<Z&&e>=Z?Z:zt(Z,L)),
X=_*(E==0?t==0?.1:1:c),Q=ye(ls(t+X,k/10),24),$=t<=w&&(g==1||g==3&&Q>=w||g==2&&Q<=w)?w:-be,te=zt(u,Q>$&&t<=$?$:rt($,Q));return Y==te&&Y==0&&(te=100),[Y,te]}var Xc=new Intl.
NumberFormat(al?Gc.language:"en-US"),mo=e=>Xc.format(e),yt=Math,Zl=yt.PI,He=yt.abs,bt=yt.floor,Ve=yt.round,Nt=yt.ceil,zt=yt.min,rt=yt.max,sl=yt.pow,Xi=yt.sign,en=yt.
log10,Tr=yt.log2,eu=(e,t=1)=>yt.sinh(e)*t,Ks=(e,t=1)=>yt.asinh(e/t),be=1/0;function er(e){return(en((e^e>>31)-(e>>31))|0)+1}function no(e,t,n){return zt(rt(e,t),
n)}function Ar(e){return typeof e=="function"}function se(e){return Ar(e)?e:()=>e}var tu=()=>{},Cr=e=>e,$r=(e,t)=>t,nu=e=>null,tr=e=>!0,nr=(e,t)=>e==t,lu=/\.\d*?(?=9{6,}|0{6,})/gm,
Ln=e=>{if(Dr(e)||dn.has(e))return e;let t=`${e}`,n=t.match(lu);if(n==null)return e;let l=n[0].length-1;if(t.indexOf("e-")!=-1){let[s,i]=t.split("e");return+`${Ln(
s)}e${i}`}return ye(e,l)};function Tn(e,t){return Ln(ye(Ln(e/t))*t)}function ls(e,t){return Ln(Nt(Ln(e/t))*t)}function Lr(e,t){return Ln(bt(Ln(e/t))*t)}function ye(e,t=0){
if(Dr(e))return e;let n=10**t,l=e*n*(1+Number.EPSILON);return Ve(l)/n}var dn=new Map;function Nr(e){return((""+e).split(".")[1]||"").length}function Cl(e,t,n,l){
let s=[],i=l.map(Nr);for(let c=t;c<n;c++){let r=He(c),u=ye(sl(e,c),r);for(let d=0;d<l.length;d++){let w=e==10?+`${l[d]}e${c}`:l[d]*u,p=(c>=0?0:r)+(c>=i[d]?0:i[d]),
g=e==10?w:ye(w,p);s.push(g),dn.set(g,p)}}return s}var Al={},po=[],ol=[null,null],hn=Array.isArray,Dr=Number.isInteger,su=e=>e===void 0;function lr(e){return typeof e==
"string"}function ss(e){let t=!1;if(e!=null){let n=e.constructor;t=n==null||n==Object}return t}function ou(e){return e!=null&&typeof e=="object"}var iu=Object.getPrototypeOf(
Uint8Array),Pr="__proto__";function il(e,t=ss){let n;if(hn(e)){let l=e.find(s=>s!=null);if(hn(l)||t(l)){n=Array(e.length);for(let s=0;s<e.length;s++)n[s]=il(e[s],
t)}else n=e.slice()}else if(e instanceof iu)n=e.slice();else if(t(e)){n={};for(let l in e)l!=Pr&&(n[l]=il(e[l],t))}else n=e;return n}function Fe(e){let t=arguments;
for(let n=1;n<t.length;n++){let l=t[n];for(let s in l)s!=Pr&&(ss(e[s])?Fe(e[s],il(l[s])):e[s]=il(l[s]))}return e}var ru=0,au=1,cu=2;function uu(e,t,n){for(let l=0,
s,i=-1;l<t.length;l++){let c=t[l];if(c>i){for(s=c-1;s>=0&&e[s]==null;)e[s--]=null;for(s=c+1;s<n&&e[s]==null;)e[i=s++]=null}}}function fu(e,t){if(mu(e)){let c=e[0].
slice();for(let r=1;r<e.length;r++)c.push(...e[r].slice(1));return pu(c[0])||(c=du(c)),c}let n=new Set;for(let c=0;c<e.length;c++){let u=e[c][0],d=u.length;for(let w=0;w<
d;w++)n.add(u[w])}let l=[Array.from(n).sort((c,r)=>c-r)],s=l[0].length,i=new Map;for(let c=0;c<s;c++)i.set(l[0][c],c);for(let c=0;c<e.length;c++){let r=e[c],u=r[0];
for(let d=1;d<r.length;d++){let w=r[d],p=Array(s).fill(void 0),g=t?t[c][d]:au,E=[];for(let S=0;S<w.length;S++){let C=w[S],x=i.get(u[S]);C===null?g!=ru&&(p[x]=C,
g==cu&&E.push(x)):p[x]=C}uu(p,E,s),l.push(p)}}return l}var hu=typeof queueMicrotask>"u"?e=>Promise.resolve().then(e):queueMicrotask;function du(e){let t=e[0],n=t.
length,l=Array(n);for(let i=0;i<l.length;i++)l[i]=i;l.sort((i,c)=>t[i]-t[c]);let s=[];for(let i=0;i<e.length;i++){let c=e[i],r=Array(n);for(let u=0;u<n;u++)r[u]=
c[l[u]];s.push(r)}return s}function mu(e){let t=e[0][0],n=t.length;for(let l=1;l<e.length;l++){let s=e[l][0];if(s.length!=n)return!1;if(s!=t){for(let i=0;i<n;i++)
if(s[i]!=t[i])return!1}}return!0}function pu(e,t=100){let n=e.length;if(n<=1)return!0;let l=0,s=n-1;for(;l<=s&&e[l]==null;)l++;for(;s>=l&&e[s]==null;)s--;if(s<=
l)return!0;let i=rt(1,bt((s-l+1)/t));for(let c=e[l],r=l+i;r<=s;r+=i){let u=e[r];if(u!=null){if(u<=c)return!1;c=u}}return!0}var Rr=["January","February","March",
"April","May","June","July","August","September","October","November","December"],Or=["Sunday","Monday","Tuesday","Wednesday","Thursday","Friday","Saturday"];function Ir(e){
return e.slice(0,3)}var gu=Or.map(Ir),wu=Rr.map(Ir),bu={MMMM:Rr,MMM:wu,WWWW:Or,WWW:gu};function Sl(e){return(e<10?"0":"")+e}function yu(e){return(e<10?"00":e<100?
"0":"")+e}var xu={YYYY:e=>e.getFullYear(),YY:e=>(e.getFullYear()+"").slice(2),MMMM:(e,t)=>t.MMMM[e.getMonth()],MMM:(e,t)=>t.MMM[e.getMonth()],MM:e=>Sl(e.getMonth()+
1),M:e=>e.getMonth()+1,DD:e=>Sl(e.getDate()),D:e=>e.getDate(),WWWW:(e,t)=>t.WWWW[e.getDay()],WWW:(e,t)=>t.WWW[e.getDay()],HH:e=>Sl(e.getHours()),H:e=>e.getHours(),
h:e=>{let t=e.getHours();return t==0?12:t>12?t-12:t},AA:e=>e.getHours()>=12?"PM":"AM",aa:e=>e.getHours()>=12?"pm":"am",a:e=>e.getHours()>=12?"p":"a",mm:e=>Sl(e.
getMinutes()),m:e=>e.getMinutes(),ss:e=>Sl(e.getSeconds()),s:e=>e.getSeconds(),fff:e=>yu(e.getMilliseconds())};function go(e,t){t=t||bu;let n=[],l=/\{([a-z]+)\}|[^{]+/gi,
s;for(;s=l.exec(e);)n.push(s[0][0]=="{"?xu[s[1]]:s[0]);return i=>{let c="";for(let r=0;r<n.length;r++)c+=typeof n[r]=="string"?n[r]:n[r](i,t);return c}}var _u=new Intl.
DateTimeFormat().resolvedOptions().timeZone;function vu(e,t){let n;return t=="UTC"||t=="Etc/UTC"?n=new Date(+e+e.getTimezoneOffset()*6e4):t==_u?n=e:(n=new Date(
e.toLocaleString("en-US",{timeZone:t})),n.setMilliseconds(e.getMilliseconds())),n}var Fr=e=>e%1==0,es=[1,2,2.5,5],Su=Cl(10,-32,0,es),Wr=Cl(10,0,32,es),ku=Wr.filter(
Fr),An=Su.concat(Wr),wo=`
`,Br="{YYYY}",sr=wo+Br,zr="{M}/{D}",El=wo+zr,jl=El+"/{YY}",Vr="{aa}",Mu="{h}:{mm}",nl=Mu+Vr,or=wo+nl,ir=":{ss}",de=null;function Hr(e){let t=e*1e3,n=t*60,l=n*60,
s=l*24,i=s*30,c=s*365,u=(e==1?Cl(10,0,3,es).filter(Fr):Cl(10,-3,0,es)).concat([t,t*5,t*10,t*15,t*30,n,n*5,n*10,n*15,n*30,l,l*2,l*3,l*4,l*6,l*8,l*12,s,s*2,s*3,s*
4,s*5,s*6,s*7,s*8,s*9,s*10,s*15,i,i*2,i*3,i*4,i*6,c,c*2,c*5,c*10,c*25,c*50,c*100]),d=[[c,Br,de,de,de,de,de,de,1],[s*28,"{MMM}",sr,de,de,de,de,de,1],[s,zr,sr,de,
de,de,de,de,1],[l,"{h}"+Vr,jl,de,El,de,de,de,1],[n,nl,jl,de,El,de,de,de,1],[t,ir,jl+" "+nl,de,El+" "+nl,de,or,de,1],[e,ir+".{fff}",jl+" "+nl,de,El+" "+nl,de,or,
de,1]];function w(p){return(g,E,S,C,x,I)=>{let _=[],A=x>=c,k=x>=i&&x<c,J=p(S),L=ye(J*e,3),Z=js(J.getFullYear(),A?0:J.getMonth(),k||A?1:J.getDate()),Y=ye(Z*e,3);
if(k||A){let X=k?x/i:0,Q=A?x/c:0,$=L==Y?L:ye(js(Z.getFullYear()+Q,Z.getMonth()+X,1)*e,3),te=new Date(Ve($/e)),W=te.getFullYear(),K=te.getMonth();for(let q=0;$<=
C;q++){let oe=js(W+Q*q,K+X*q,1),V=oe-p(ye(oe*e,3));$=ye((+oe+V)*e,3),$<=C&&_.push($)}}else{let X=x>=s?s:x,Q=bt(S)-bt(L),$=Y+Q+ls(L-Y,X);_.push($);let te=p($),W=te.
getHours()+te.getMinutes()/n+te.getSeconds()/l,K=x/l,q=g.axes[E]._space,oe=I/q;for(;$=ye($+x,e==1?0:3),!($>C);)if(K>1){let V=bt(ye(W+K,6))%24,re=p($).getHours()-
V;re>1&&(re=-1),$-=re*l,W=(W+K)%24;let pe=_[_.length-1];ye(($-pe)/x,3)*oe>=.7&&_.push($)}else _.push($)}return _}}return[u,d,w]}var[Eu,Tu,Au]=Hr(1),[Cu,$u,Lu]=Hr(
.001);Cl(2,-53,53,[1]);function rr(e,t){return e.map(n=>n.map((l,s)=>s==0||s==8||l==null?l:t(s==1||n[8]==0?l:n[1]+l)))}function ar(e,t){return(n,l,s,i,c)=>{let r=t.
find(S=>c>=S[0])||t[t.length-1],u,d,w,p,g,E;return l.map(S=>{let C=e(S),x=C.getFullYear(),I=C.getMonth(),_=C.getDate(),A=C.getHours(),k=C.getMinutes(),J=C.getSeconds(),
L=x!=u&&r[2]||I!=d&&r[3]||_!=w&&r[4]||A!=p&&r[5]||k!=g&&r[6]||J!=E&&r[7]||r[1];return u=x,d=I,w=_,p=A,g=k,E=J,L(C)})}}function Nu(e,t){let n=go(t);return(l,s,i,c,r)=>s.
map(u=>n(e(u)))}function js(e,t,n){return new Date(e,t,n)}function cr(e,t){return t(e)}var Du="{YYYY}-{MM}-{DD} {h}:{mm}{aa}";function ur(e,t){return(n,l,s,i)=>i==
null?co:t(e(l))}function Pu(e,t){let n=e.series[t];return n.width?n.stroke(e,t):n.points.width?n.points.stroke(e,t):null}function Ru(e,t){return e.series[t].fill(
e,t)}var Ou={show:!0,live:!0,isolate:!1,mount:tu,markers:{show:!0,width:2,stroke:Pu,fill:Ru,dash:"solid"},idx:null,idxs:null,values:[]};function Iu(e,t){let n=e.
cursor.points,l=Lt(),s=n.size(e,t);Me(l,kl,s),Me(l,Ml,s);let i=s/-2;Me(l,"marginLeft",i),Me(l,"marginTop",i);let c=n.width(e,t,s);return c&&Me(l,"borderWidth",c),
l}function Fu(e,t){let n=e.series[t].points;return n._fill||n._stroke}function Wu(e,t){let n=e.series[t].points;return n._stroke||n._fill}function Bu(e,t){return e.
series[t].points.size}var Js=[0,0];function zu(e,t,n){return Js[0]=t,Js[1]=n,Js}function Jl(e,t,n,l=!0){return s=>{s.button==0&&(!l||s.target==t)&&n(s)}}function Zs(e,t,n,l=!0){
return s=>{(!l||s.target==t)&&n(s)}}var Vu={show:!0,x:!0,y:!0,lock:!1,move:zu,points:{one:!1,show:Iu,size:Bu,width:0,stroke:Wu,fill:Fu},bind:{mousedown:Jl,mouseup:Jl,
click:Jl,dblclick:Jl,mousemove:Zs,mouseleave:Zs,mouseenter:Zs},drag:{setScale:!0,x:!0,y:!1,dist:0,uni:null,click:(e,t)=>{t.stopPropagation(),t.stopImmediatePropagation()},
_x:!1,_y:!1},focus:{dist:(e,t,n,l,s)=>l-s,prox:-1,bias:0},hover:{skip:[void 0],prox:null,bias:0},left:-10,top:-10,idx:null,dataIdx:null,idxs:null,event:null},qr={
show:!0,stroke:"rgba(0,0,0,0.07)",width:2},bo=Fe({},qr,{filter:$r}),Ur=Fe({},bo,{size:10}),Yr=Fe({},qr,{show:!1}),yo='12px system-ui, -apple-system, "Segoe UI",\
 Roboto, "Helvetica Neue", Arial, "Noto Sans", sans-serif, "Apple Color Emoji", "Segoe UI Emoji", "Segoe UI Symbol", "Noto Color Emoji"',Gr="bold "+yo,Kr=1.5,fr={
show:!0,scale:"x",stroke:ao,space:50,gap:5,alignTo:1,size:50,labelGap:0,labelSize:30,labelFont:Gr,side:2,grid:bo,ticks:Ur,border:Yr,font:yo,lineGap:Kr,rotate:0},
Hu="Value",qu="Time",hr={show:!0,scale:"x",auto:!1,sorted:1,min:be,max:-be,idxs:[]};function Uu(e,t,n,l,s){return t.map(i=>i==null?"":mo(i))}function Yu(e,t,n,l,s,i,c){
let r=[],u=dn.get(s)||0;n=c?n:ye(ls(n,s),u);for(let d=n;d<=l;d=ye(d+s,u))r.push(Object.is(d,-0)?0:d);return r}function lo(e,t,n,l,s,i,c){let r=[],u=e.scales[e.axes[t].
scale].log,d=u==10?en:Tr,w=bt(d(n));s=sl(u,w),u==10&&(s=An[Bt(s,An)]);let p=n,g=s*u;u==10&&(g=An[Bt(g,An)]);do r.push(p),p=p+s,u==10&&!dn.has(p)&&(p=ye(p,dn.get(
s))),p>=g&&(s=p,g=s*u,u==10&&(g=An[Bt(g,An)]));while(p<=l);return r}function Gu(e,t,n,l,s,i,c){let u=e.scales[e.axes[t].scale].asinh,d=l>u?lo(e,t,rt(u,n),l,s):[
u],w=l>=0&&n<=0?[0]:[];return(n<-u?lo(e,t,rt(u,-l),-n,s):[u]).reverse().map(g=>-g).concat(w,d)}var jr=/./,Ku=/[12357]/,ju=/[125]/,dr=/1/,so=(e,t,n,l)=>e.map((s,i)=>t==
4&&s==0||i%l==0&&n.test(s.toExponential()[s<0?1:0])?s:null);function Ju(e,t,n,l,s){let i=e.axes[n],c=i.scale,r=e.scales[c],u=e.valToPos,d=i._space,w=u(10,c),p=u(
9,c)-w>=d?jr:u(7,c)-w>=d?Ku:u(5,c)-w>=d?ju:dr;if(p==dr){let g=He(u(1,c)-w);if(g<d)return so(t.slice().reverse(),r.distr,p,Nt(d/g)).reverse()}return so(t,r.distr,
p,1)}function Zu(e,t,n,l,s){let i=e.axes[n],c=i.scale,r=i._space,u=e.valToPos,d=He(u(1,c)-u(2,c));return d<r?so(t.slice().reverse(),3,jr,Nt(r/d)).reverse():t}function Qu(e,t,n,l){
return l==null?co:t==null?"":mo(t)}var mr={show:!0,scale:"y",stroke:ao,space:30,gap:5,alignTo:1,size:50,labelGap:0,labelSize:30,labelFont:Gr,side:3,grid:bo,ticks:Ur,
border:Yr,font:yo,lineGap:Kr,rotate:0};function Xu(e,t){let n=3+(e||1)*2;return ye(n*t,3)}function ef(e,t){let{scale:n,idxs:l}=e.series[0],s=e._data[0],i=e.valToPos(
s[l[0]],n,!0),c=e.valToPos(s[l[1]],n,!0),r=He(c-i),u=e.series[t],d=r/(u.points.space*fe);return l[1]-l[0]<=d}var pr={scale:null,auto:!0,sorted:0,min:be,max:-be},
Jr=(e,t,n,l,s)=>s,gr={show:!0,auto:!0,sorted:0,gaps:Jr,alpha:1,facets:[Fe({},pr,{scale:"x"}),Fe({},pr,{scale:"y"})]},wr={scale:"y",auto:!0,sorted:0,show:!0,spanGaps:!1,
gaps:Jr,alpha:1,points:{show:ef,filter:null},values:null,min:be,max:-be,idxs:[],path:null,clip:null};function tf(e,t,n,l,s){return n/10}var Zr={time:!0,auto:!0,
distr:1,log:10,asinh:1,min:null,max:null,dir:1,ori:0},nf=Fe({},Zr,{time:!1,ori:1}),br={};function Qr(e,t){let n=br[e];return n||(n={key:e,plots:[],sub(l){n.plots.
push(l)},unsub(l){n.plots=n.plots.filter(s=>s!=l)},pub(l,s,i,c,r,u,d){for(let w=0;w<n.plots.length;w++)n.plots[w]!=s&&n.plots[w].pub(l,s,i,c,r,u,d)}},e!=null&&(br[e]=
n)),n}var rl=1,oo=2;function Nn(e,t,n){let l=e.mode,s=e.series[t],i=l==2?e._data[t]:e._data,c=e.scales,r=e.bbox,u=i[0],d=l==2?i[1]:i[t],w=l==2?c[s.facets[0].scale]:
c[e.series[0].scale],p=l==2?c[s.facets[1].scale]:c[s.scale],g=r.left,E=r.top,S=r.width,C=r.height,x=e.valToPosH,I=e.valToPosV;return w.ori==0?n(s,u,d,w,p,x,I,g,
E,S,C,is,cl,as,ea,na):n(s,u,d,w,p,I,x,E,g,C,S,rs,ul,vo,ta,la)}function xo(e,t){let n=0,l=0,s=ce(e.bands,po);for(let i=0;i<s.length;i++){let c=s[i];c.series[0]==
t?n=c.dir:c.series[1]==t&&(c.dir==1?l|=1:l|=2)}return[n,l==1?-1:l==2?1:l==3?2:0]}function lf(e,t,n,l,s){let i=e.mode,c=e.series[t],r=i==2?c.facets[1].scale:c.scale,
u=e.scales[r];return s==-1?u.min:s==1?u.max:u.distr==3?u.dir==1?u.min:u.max:0}function tn(e,t,n,l,s,i){return Nn(e,t,(c,r,u,d,w,p,g,E,S,C,x)=>{let I=c.pxRound,_=d.
dir*(d.ori==0?1:-1),A=d.ori==0?cl:ul,k,J;_==1?(k=n,J=l):(k=l,J=n);let L=I(p(r[k],d,C,E)),Z=I(g(u[k],w,x,S)),Y=I(p(r[J],d,C,E)),X=I(g(i==1?w.max:w.min,w,x,S)),Q=new Path2D(
s);return A(Q,Y,X),A(Q,L,X),A(Q,L,Z),Q})}function os(e,t,n,l,s,i){let c=null;if(e.length>0){c=new Path2D;let r=t==0?as:vo,u=n;for(let p=0;p<e.length;p++){let g=e[p];
if(g[1]>g[0]){let E=g[0]-u;E>0&&r(c,u,l,E,l+i),u=g[1]}}let d=n+s-u,w=10;d>0&&r(c,u,l-w/2,d,l+i+w)}return c}function sf(e,t,n){let l=e[e.length-1];l&&l[0]==t?l[1]=
n:e.push([t,n])}function _o(e,t,n,l,s,i,c){let r=[],u=e.length;for(let d=s==1?n:l;d>=n&&d<=l;d+=s)if(t[d]===null){let p=d,g=d;if(s==1)for(;++d<=l&&t[d]===null;)
g=d;else for(;--d>=n&&t[d]===null;)g=d;let E=i(e[p]),S=g==p?E:i(e[g]),C=p-s;E=c<=0&&C>=0&&C<u?i(e[C]):E;let I=g+s;S=c>=0&&I>=0&&I<u?i(e[I]):S,S>=E&&r.push([E,S])}
return r}function yr(e){return e==0?Cr:e==1?Ve:t=>Tn(t,e)}function Xr(e){let t=e==0?is:rs,n=e==0?(s,i,c,r,u,d)=>{s.arcTo(i,c,r,u,d)}:(s,i,c,r,u,d)=>{s.arcTo(c,i,
u,r,d)},l=e==0?(s,i,c,r,u)=>{s.rect(i,c,r,u)}:(s,i,c,r,u)=>{s.rect(c,i,u,r)};return(s,i,c,r,u,d=0,w=0)=>{d==0&&w==0?l(s,i,c,r,u):(d=zt(d,r/2,u/2),w=zt(w,r/2,u/2),
t(s,i+d,c),n(s,i+r,c,i+r,c+u,d),n(s,i+r,c+u,i,c+u,w),n(s,i,c+u,i,c,w),n(s,i,c,i+r,c,d),s.closePath())}}var is=(e,t,n)=>{e.moveTo(t,n)},rs=(e,t,n)=>{e.moveTo(n,t)},
cl=(e,t,n)=>{e.lineTo(t,n)},ul=(e,t,n)=>{e.lineTo(n,t)},as=Xr(0),vo=Xr(1),ea=(e,t,n,l,s,i)=>{e.arc(t,n,l,s,i)},ta=(e,t,n,l,s,i)=>{e.arc(n,t,l,s,i)},na=(e,t,n,l,s,i,c)=>{
e.bezierCurveTo(t,n,l,s,i,c)},la=(e,t,n,l,s,i,c)=>{e.bezierCurveTo(n,t,s,l,c,i)};function sa(e){return(t,n,l,s,i)=>Nn(t,n,(c,r,u,d,w,p,g,E,S,C,x)=>{let{pxRound:I,
points:_}=c,A,k;d.ori==0?(A=is,k=ea):(A=rs,k=ta);let J=ye(_.width*fe,3),L=(_.size-_.width)/2*fe,Z=ye(L*2,3),Y=new Path2D,X=new Path2D,{left:Q,top:$,width:te,height:W}=t.
bbox;as(X,Q-Z,$-Z,te+Z*2,W+Z*2);let K=q=>{if(u[q]!=null){let oe=I(p(r[q],d,C,E)),V=I(g(u[q],w,x,S));A(Y,oe+L,V),k(Y,oe,V,L,0,Zl*2)}};if(i)i.forEach(K);else for(let q=l;q<=
s;q++)K(q);return{stroke:J>0?Y:null,fill:Y,clip:X,flags:rl|oo}})}function oa(e){return(t,n,l,s,i,c)=>{l!=s&&(i!=l&&c!=l&&e(t,n,l),i!=s&&c!=s&&e(t,n,s),e(t,n,c))}}
var of=oa(cl),rf=oa(ul);function ia(e){let t=ce(e?.alignGaps,0);return(n,l,s,i)=>Nn(n,l,(c,r,u,d,w,p,g,E,S,C,x)=>{[s,i]=ts(u,s,i);let I=c.pxRound,_=W=>I(p(W,d,C,
E)),A=W=>I(g(W,w,x,S)),k,J;d.ori==0?(k=cl,J=of):(k=ul,J=rf);let L=d.dir*(d.ori==0?1:-1),Z={stroke:new Path2D,fill:null,clip:null,band:null,gaps:null,flags:rl},Y=Z.
stroke,X=!1;if(i-s>=C*4){let W=B=>n.posToVal(B,d.key,!0),K=null,q=null,oe,V,ct,Ee=_(r[L==1?s:i]),re=_(r[s]),pe=_(r[i]),ne=W(L==1?re+1:pe-1);for(let B=L==1?s:i;B>=
s&&B<=i;B+=L){let We=r[B],Te=(L==1?We<ne:We>ne)?Ee:_(We),he=u[B];Te==Ee?he!=null?(V=he,K==null?(k(Y,Te,A(V)),oe=K=q=V):V<K?K=V:V>q&&(q=V)):he===null&&(X=!0):(K!=
null&&J(Y,Ee,A(K),A(q),A(oe),A(V)),he!=null?(V=he,k(Y,Te,A(V)),K=q=oe=V):(K=q=null,he===null&&(X=!0)),Ee=Te,ne=W(Ee+L))}K!=null&&K!=q&&ct!=Ee&&J(Y,Ee,A(K),A(q),
A(oe),A(V))}else for(let W=L==1?s:i;W>=s&&W<=i;W+=L){let K=u[W];K===null?X=!0:K!=null&&k(Y,_(r[W]),A(K))}let[$,te]=xo(n,l);if(c.fill!=null||$!=0){let W=Z.fill=new Path2D(
Y),K=c.fillTo(n,l,c.min,c.max,$),q=A(K),oe=_(r[s]),V=_(r[i]);L==-1&&([V,oe]=[oe,V]),k(W,V,q),k(W,oe,q)}if(!c.spanGaps){let W=[];X&&W.push(..._o(r,u,s,i,L,_,t)),
Z.gaps=W=c.gaps(n,l,s,i,W),Z.clip=os(W,d.ori,E,S,C,x)}return te!=0&&(Z.band=te==2?[tn(n,l,s,i,Y,-1),tn(n,l,s,i,Y,1)]:tn(n,l,s,i,Y,te)),Z})}function af(e){let t=ce(
e.align,1),n=ce(e.ascDesc,!1),l=ce(e.alignGaps,0),s=ce(e.extend,!1);return(i,c,r,u)=>Nn(i,c,(d,w,p,g,E,S,C,x,I,_,A)=>{[r,u]=ts(p,r,u);let k=d.pxRound,{left:J,width:L}=i.
bbox,Z=re=>k(S(re,g,_,x)),Y=re=>k(C(re,E,A,I)),X=g.ori==0?cl:ul,Q={stroke:new Path2D,fill:null,clip:null,band:null,gaps:null,flags:rl},$=Q.stroke,te=g.dir*(g.ori==
0?1:-1),W=Y(p[te==1?r:u]),K=Z(w[te==1?r:u]),q=K,oe=K;s&&t==-1&&(oe=J,X($,oe,W)),X($,K,W);for(let re=te==1?r:u;re>=r&&re<=u;re+=te){let pe=p[re];if(pe==null)continue;
let ne=Z(w[re]),B=Y(pe);t==1?X($,ne,W):X($,q,B),X($,ne,B),W=B,q=ne}let V=q;s&&t==1&&(V=J+L,X($,V,W));let[ct,Ee]=xo(i,c);if(d.fill!=null||ct!=0){let re=Q.fill=new Path2D(
$),pe=d.fillTo(i,c,d.min,d.max,ct),ne=Y(pe);X(re,V,ne),X(re,oe,ne)}if(!d.spanGaps){let re=[];re.push(..._o(w,p,r,u,te,Z,l));let pe=d.width*fe/2,ne=n||t==1?pe:-pe,
B=n||t==-1?-pe:pe;re.forEach(We=>{We[0]+=ne,We[1]+=B}),Q.gaps=re=d.gaps(i,c,r,u,re),Q.clip=os(re,g.ori,x,I,_,A)}return Ee!=0&&(Q.band=Ee==2?[tn(i,c,r,u,$,-1),tn(
i,c,r,u,$,1)]:tn(i,c,r,u,$,Ee)),Q})}function xr(e,t,n,l,s,i,c=be){if(e.length>1){let r=null;for(let u=0,d=1/0;u<e.length;u++)if(t[u]!==void 0){if(r!=null){let w=He(
e[u]-e[r]);w<d&&(d=w,c=He(n(e[u],l,s,i)-n(e[r],l,s,i)))}r=u}}return c}function cf(e){e=e||Al;let t=ce(e.size,[.6,be,1]),n=e.align||0,l=e.gap||0,s=e.radius;s=s==
null?[0,0]:typeof s=="number"?[s,0]:s;let i=se(s),c=1-t[0],r=ce(t[1],be),u=ce(t[2],1),d=ce(e.disp,Al),w=ce(e.each,E=>{}),{fill:p,stroke:g}=d;return(E,S,C,x)=>Nn(
E,S,(I,_,A,k,J,L,Z,Y,X,Q,$)=>{let te=I.pxRound,W=n,K=l*fe,q=r*fe,oe=u*fe,V,ct;k.ori==0?[V,ct]=i(E,S):[ct,V]=i(E,S);let Ee=k.dir*(k.ori==0?1:-1),re=k.ori==0?as:vo,
pe=k.ori==0?w:(P,xe,Be,Fn,bn,Ht,yn)=>{w(P,xe,Be,bn,Fn,yn,Ht)},ne=ce(E.bands,po).find(P=>P.series[0]==S),B=ne!=null?ne.dir:0,We=I.fillTo(E,S,I.min,I.max,B),nt=te(
Z(We,J,$,X)),Te,he,Dt,ht=Q,$e=te(I.width*fe),Vt=!1,Zt=null,vt=null,ln=null,Rn=null;p!=null&&($e==0||g!=null)&&(Vt=!0,Zt=p.values(E,S,C,x),vt=new Map,new Set(Zt).
forEach(P=>{P!=null&&vt.set(P,new Path2D)}),$e>0&&(ln=g.values(E,S,C,x),Rn=new Map,new Set(ln).forEach(P=>{P!=null&&Rn.set(P,new Path2D)})));let{x0:On,size:fl}=d;
if(On!=null&&fl!=null){W=1,_=On.values(E,S,C,x),On.unit==2&&(_=_.map(Be=>E.posToVal(Y+Be*Q,k.key,!0)));let P=fl.values(E,S,C,x);fl.unit==2?he=P[0]*Q:he=L(P[0],k,
Q,Y)-L(0,k,Q,Y),ht=xr(_,A,L,k,Q,Y,ht),Dt=ht-he+K}else ht=xr(_,A,L,k,Q,Y,ht),Dt=ht*c+K,he=ht-Dt;Dt<1&&(Dt=0),$e>=he/2&&($e=0),Dt<5&&(te=Cr);let Pl=Dt>0,gn=ht-Dt-
(Pl?$e:0);he=te(no(gn,oe,q)),Te=(W==0?he/2:W==Ee?0:he)-W*Ee*((W==0?K/2:0)+(Pl?$e/2:0));let lt={stroke:null,fill:null,clip:null,band:null,gaps:null,flags:0},In=Vt?
null:new Path2D,Qt=null;if(ne!=null)Qt=E.data[ne.series[1]];else{let{y0:P,y1:xe}=d;P!=null&&xe!=null&&(A=xe.values(E,S,C,x),Qt=P.values(E,S,C,x))}let wn=V*he,ee=ct*
he;for(let P=Ee==1?C:x;P>=C&&P<=x;P+=Ee){let xe=A[P];if(xe==null)continue;if(Qt!=null){let ut=Qt[P]??0;if(xe-ut==0)continue;nt=Z(ut,J,$,X)}let Be=k.distr!=2||d!=
null?_[P]:P,Fn=L(Be,k,Q,Y),bn=Z(ce(xe,We),J,$,X),Ht=te(Fn-Te),yn=te(rt(bn,nt)),dt=te(zt(bn,nt)),St=yn-dt;if(xe!=null){let ut=xe<0?ee:wn,Pt=xe<0?wn:ee;Vt?($e>0&&
ln[P]!=null&&re(Rn.get(ln[P]),Ht,dt+bt($e/2),he,rt(0,St-$e),ut,Pt),Zt[P]!=null&&re(vt.get(Zt[P]),Ht,dt+bt($e/2),he,rt(0,St-$e),ut,Pt)):re(In,Ht,dt+bt($e/2),he,rt(
0,St-$e),ut,Pt),pe(E,S,P,Ht-$e/2,dt,he+$e,St)}}return $e>0?lt.stroke=Vt?Rn:In:Vt||(lt._fill=I.width==0?I._fill:I._stroke??I._fill,lt.width=0),lt.fill=Vt?vt:In,lt})}
function uf(e,t){let n=ce(t?.alignGaps,0);return(l,s,i,c)=>Nn(l,s,(r,u,d,w,p,g,E,S,C,x,I)=>{[i,c]=ts(d,i,c);let _=r.pxRound,A=V=>_(g(V,w,x,S)),k=V=>_(E(V,p,I,C)),
J,L,Z;w.ori==0?(J=is,Z=cl,L=na):(J=rs,Z=ul,L=la);let Y=w.dir*(w.ori==0?1:-1),X=A(u[Y==1?i:c]),Q=X,$=[],te=[];for(let V=Y==1?i:c;V>=i&&V<=c;V+=Y)if(d[V]!=null){let Ee=u[V],
re=A(Ee);$.push(Q=re),te.push(k(d[V]))}let W={stroke:e($,te,J,Z,L,_),fill:null,clip:null,band:null,gaps:null,flags:rl},K=W.stroke,[q,oe]=xo(l,s);if(r.fill!=null||
q!=0){let V=W.fill=new Path2D(K),ct=r.fillTo(l,s,r.min,r.max,q),Ee=k(ct);Z(V,Q,Ee),Z(V,X,Ee)}if(!r.spanGaps){let V=[];V.push(..._o(u,d,i,c,Y,A,n)),W.gaps=V=r.gaps(
l,s,i,c,V),W.clip=os(V,w.ori,S,C,x,I)}return oe!=0&&(W.band=oe==2?[tn(l,s,i,c,K,-1),tn(l,s,i,c,K,1)]:tn(l,s,i,c,K,oe)),W})}function ff(e){return uf(hf,e)}function hf(e,t,n,l,s,i){
let c=e.length;if(c<2)return null;let r=new Path2D;if(n(r,e[0],t[0]),c==2)l(r,e[1],t[1]);else{let u=Array(c),d=Array(c-1),w=Array(c-1),p=Array(c-1);for(let g=0;g<
c-1;g++)w[g]=t[g+1]-t[g],p[g]=e[g+1]-e[g],d[g]=w[g]/p[g];u[0]=d[0];for(let g=1;g<c-1;g++)d[g]===0||d[g-1]===0||d[g-1]>0!=d[g]>0?u[g]=0:(u[g]=3*(p[g-1]+p[g])/((2*
p[g]+p[g-1])/d[g-1]+(p[g]+2*p[g-1])/d[g]),isFinite(u[g])||(u[g]=0));u[c-1]=d[c-2];for(let g=0;g<c-1;g++)s(r,e[g]+p[g]/3,t[g]+u[g]*p[g]/3,e[g+1]-p[g]/3,t[g+1]-u[g+
1]*p[g]/3,e[g+1],t[g+1])}return r}var io=new Set;function _r(){for(let e of io)e.syncRect(!0)}al&&($n(Uc,ll,_r),$n(Yc,ll,_r,!0),$n(Ql,ll,()=>{Xe.pxRatio=fe}));var df=ia(),
mf=sa();function vr(e,t,n,l){return(l?[e[0],e[1]].concat(e.slice(2)):[e[0]].concat(e.slice(1))).map((i,c)=>ro(i,c,t,n))}function pf(e,t){return e.map((n,l)=>l==
0?{}:Fe({},t,n))}function ro(e,t,n,l){return Fe({},t==0?n:l,e)}function ra(e,t,n){return t==null?ol:[t,n]}var gf=ra;function wf(e,t,n){return t==null?ol:Xl(t,n,
ho,!0)}function aa(e,t,n,l){return t==null?ol:ns(t,n,e.scales[l].log,!1)}var bf=aa;function ca(e,t,n,l){return t==null?ol:fo(t,n,e.scales[l].log,!1)}var yf=ca;function xf(e,t,n,l,s){
let i=rt(er(e),er(t)),c=t-e,r=Bt(s/l*c,n);do{let u=n[r],d=l*u/c;if(d>=s&&i+(u<5?dn.get(u):0)<=17)return[u,d]}while(++r<n.length);return[0,0]}function Sr(e){let t,
n;return e=e.replace(/(\d+)px/,(l,s)=>(t=Ve((n=+s)*fe))+"px"),[e,t,n]}function _f(e){e.show&&[e.font,e.labelFont].forEach(t=>{let n=ye(t[2]*fe,1);t[0]=t[0].replace(
/[0-9.]+px/,n+"px"),t[1]=n})}function Xe(e,t,n){let l={mode:ce(e.mode,1)},s=l.mode;function i(o,a,f,h){let m=a.valToPct(o);return h+f*(a.dir==-1?1-m:m)}function c(o,a,f,h){
let m=a.valToPct(o);return h+f*(a.dir==-1?m:1-m)}function r(o,a,f,h){return a.ori==0?i(o,a,f,h):c(o,a,f,h)}l.valToPosH=i,l.valToPosV=c;let u=!1;l.status=0;let d=l.
root=Lt(Tc);if(e.id!=null&&(d.id=e.id),wt(d,e.class),e.title){let o=Lt($c,d);o.textContent=e.title}let w=Wt("canvas"),p=l.ctx=w.getContext("2d"),g=Lt(Lc,d);$n("\
click",g,o=>{o.target===S&&(ve!=jn||Ae!=Jn)&&Qe.click(l,o)},!0);let E=l.under=Lt(Nc,g);g.appendChild(w);let S=l.over=Lt(Dc,g);e=il(e);let C=+ce(e.pxAlign,1),x=yr(
C);(e.plugins||[]).forEach(o=>{o.opts&&(e=o.opts(l,e)||e)});let I=e.ms||.001,_=l.series=s==1?vr(e.series||[],hr,wr,!1):pf(e.series||[null],gr),A=l.axes=vr(e.axes||
[],fr,mr,!0),k=l.scales={},J=l.bands=e.bands||[];J.forEach(o=>{o.fill=se(o.fill||null),o.dir=ce(o.dir,-1)});let L=s==2?_[1].facets[0].scale:_[0].scale,Z={axes:Za,
series:Ya},Y=(e.drawOrder||["axes","series"]).map(o=>Z[o]);function X(o){let a=o.distr==3?f=>en(f>0?f:o.clamp(l,f,o.min,o.max,o.key)):o.distr==4?f=>Ks(f,o.asinh):
o.distr==100?f=>o.fwd(f):f=>f;return f=>{let h=a(f),{_min:m,_max:b}=o,v=b-m;return(h-m)/v}}function Q(o){let a=k[o];if(a==null){let f=(e.scales||Al)[o]||Al;if(f.
from!=null){Q(f.from);let h=Fe({},k[f.from],f,{key:o});h.valToPct=X(h),k[o]=h}else{a=k[o]=Fe({},o==L?Zr:nf,f),a.key=o;let h=a.time,m=a.range,b=hn(m);if((o!=L||s==
2&&!h)&&(b&&(m[0]==null||m[1]==null)&&(m={min:m[0]==null?Zi:{mode:1,hard:m[0],soft:m[0]},max:m[1]==null?Zi:{mode:1,hard:m[1],soft:m[1]}},b=!1),!b&&ss(m))){let v=m;
m=(M,T,N)=>T==null?ol:Xl(T,N,v)}a.range=se(m||(h?gf:o==L?a.distr==3?bf:a.distr==4?yf:ra:a.distr==3?aa:a.distr==4?ca:wf)),a.auto=se(b?!1:a.auto),a.clamp=se(a.clamp||
tf),a._min=a._max=null,a.valToPct=X(a)}}}Q("x"),Q("y"),s==1&&_.forEach(o=>{Q(o.scale)}),A.forEach(o=>{Q(o.scale)});for(let o in e.scales)Q(o);let $=k[L],te=$.distr,
W,K;$.ori==0?(wt(d,Ac),W=i,K=c):(wt(d,Cc),W=c,K=i);let q={};for(let o in k){let a=k[o];(a.min!=null||a.max!=null)&&(q[o]={min:a.min,max:a.max},a.min=a.max=null)}
let oe=e.tzDate||(o=>new Date(Ve(o/I))),V=e.fmtDate||go,ct=I==1?Au(oe):Lu(oe),Ee=ar(oe,rr(I==1?Tu:$u,V)),re=ur(oe,cr(Du,V)),pe=[],ne=l.legend=Fe({},Ou,e.legend),
B=l.cursor=Fe({},Vu,{drag:{y:s==2}},e.cursor),We=ne.show,nt=B.show,Te=ne.markers;ne.idxs=pe,Te.width=se(Te.width),Te.dash=se(Te.dash),Te.stroke=se(Te.stroke),Te.
fill=se(Te.fill);let he,Dt,ht,$e=[],Vt=[],Zt,vt=!1,ln={};if(ne.live){let o=_[1]?_[1].values:null;vt=o!=null,Zt=vt?o(l,1,0):{_:0};for(let a in Zt)ln[a]=co}if(We)
if(he=Wt("table",Wc,d),ht=Wt("tbody",null,he),ne.mount(l,he),vt){Dt=Wt("thead",null,he,ht);let o=Wt("tr",null,Dt);Wt("th",null,o);for(var Rn in Zt)Wt("th",Fi,o).
textContent=Rn}else wt(he,zc),ne.live&&wt(he,Bc);let On={show:!0},fl={show:!1};function Pl(o,a){if(a==0&&(vt||!ne.live||s==2))return ol;let f=[],h=Wt("tr",Vc,ht,
ht.childNodes[a]);wt(h,o.class),o.show||wt(h,Cn);let m=Wt("th",null,h);if(Te.show){let M=Lt(Hc,m);if(a>0){let T=Te.width(l,a);T&&(M.style.border=T+"px "+Te.dash(
l,a)+" "+Te.stroke(l,a)),M.style.background=Te.fill(l,a)}}let b=Lt(Fi,m);o.label instanceof HTMLElement?b.appendChild(o.label):b.textContent=o.label,a>0&&(Te.show||
(b.style.color=o.width>0?Te.stroke(l,a):Te.fill(l,a)),lt("click",m,M=>{if(B._lock)return;_n(M);let T=_.indexOf(o);if((M.ctrlKey||M.metaKey)!=ne.isolate){let N=_.
some((D,O)=>O>0&&O!=T&&D.show);_.forEach((D,O)=>{O>0&&Ut(O,N?O==T?On:fl:On,!0,Ie.setSeries)})}else Ut(T,{show:!o.show},!0,Ie.setSeries)},!1),Bn&&lt(Vi,m,M=>{B._lock||
(_n(M),Ut(_.indexOf(o),Qn,!0,Ie.setSeries))},!1));for(var v in Zt){let M=Wt("td",qc,h);M.textContent="--",f.push(M)}return[h,f]}let gn=new Map;function lt(o,a,f,h=!0){
let m=gn.get(a)||{},b=B.bind[o](l,a,f,h);b&&($n(o,a,m[o]=b),gn.set(a,m))}function In(o,a,f){let h=gn.get(a)||{};for(let m in h)(o==null||m==o)&&(to(m,a,h[m]),delete h[m]);
o==null&&gn.delete(a)}let Qt=0,wn=0,ee=0,P=0,xe=0,Be=0,Fn=xe,bn=Be,Ht=ee,yn=P,dt=0,St=0,ut=0,Pt=0;l.bbox={};let ms=!1,Rl=!1,Wn=!1,xn=!1,Ol=!1,kt=!1;function ps(o,a,f){
(f||o!=l.width||a!=l.height)&&Oo(o,a),Un(!1),Wn=!0,Rl=!0,Yn()}function Oo(o,a){l.width=Qt=ee=o,l.height=wn=P=a,xe=Be=0,Wa(),Ba();let f=l.bbox;dt=f.left=Tn(xe*fe,
.5),St=f.top=Tn(Be*fe,.5),ut=f.width=Tn(ee*fe,.5),Pt=f.height=Tn(P*fe,.5)}let Oa=3;function Ia(){let o=!1,a=0;for(;!o;){a++;let f=ja(a),h=Ja(a);o=a==Oa||f&&h,o||
(Oo(l.width,l.height),Rl=!0)}}function Fa({width:o,height:a}){ps(o,a)}l.setSize=Fa;function Wa(){let o=!1,a=!1,f=!1,h=!1;A.forEach((m,b)=>{if(m.show&&m._show){let{
side:v,_size:M}=m,T=v%2,N=m.label!=null?m.labelSize:0,D=M+N;D>0&&(T?(ee-=D,v==3?(xe+=D,h=!0):f=!0):(P-=D,v==0?(Be+=D,o=!0):a=!0))}}),vn[0]=o,vn[1]=f,vn[2]=a,vn[3]=
h,ee-=sn[1]+sn[3],xe+=sn[3],P-=sn[2]+sn[0],Be+=sn[0]}function Ba(){let o=xe+ee,a=Be+P,f=xe,h=Be;function m(b,v){switch(b){case 1:return o+=v,o-v;case 2:return a+=
v,a-v;case 3:return f-=v,f+v;case 0:return h-=v,h+v}}A.forEach((b,v)=>{if(b.show&&b._show){let M=b.side;b._pos=m(M,b._size),b.label!=null&&(b._lpos=m(M,b.labelSize))}})}
if(B.dataIdx==null){let o=B.hover,a=o.skip=new Set(o.skip??[]);a.add(void 0);let f=o.prox=se(o.prox),h=o.bias??=0;B.dataIdx=(m,b,v,M)=>{if(b==0)return v;let T=v,
N=f(m,b,v,M)??be,D=N>=0&&N<be,O=$.ori==0?ee:P,j=B.left,ue=t[0],ae=t[b];if(a.has(ae[v])){T=null;let le=null,U=null,z;if(h==0||h==-1)for(z=v;le==null&&z-- >0;)a.has(
ae[z])||(le=z);if(h==0||h==1)for(z=v;U==null&&z++<ae.length;)a.has(ae[z])||(U=z);if(le!=null||U!=null)if(D){let ke=le==null?-1/0:W(ue[le],$,O,0),Le=U==null?1/0:
W(ue[U],$,O,0),je=j-ke,ge=Le-j;je<=ge?je<=N&&(T=le):ge<=N&&(T=U)}else T=U==null?le:le==null?U:v-le<=U-v?le:U}else D&&He(j-W(ue[v],$,O,0))>N&&(T=null);return T}}
let _n=o=>{B.event=o};B.idxs=pe,B._lock=!1;let et=B.points;et.show=se(et.show),et.size=se(et.size),et.stroke=se(et.stroke),et.width=se(et.width),et.fill=se(et.fill);
let qt=l.focus=Fe({},e.focus||{alpha:.3},B.focus),Bn=qt.prox>=0,zn=Bn&&et.one,Mt=[],Vn=[],Hn=[];function Io(o,a){let f=et.show(l,a);if(f instanceof HTMLElement)
return wt(f,Fc),wt(f,o.class),Jt(f,-10,-10,ee,P),S.insertBefore(f,Mt[a]),f}function Fo(o,a){if(s==1||a>0){let f=s==1&&k[o.scale].time,h=o.value;o.value=f?lr(h)?
ur(oe,cr(h,V)):h||re:h||Qu,o.label=o.label||(f?qu:Hu)}if(zn||a>0){o.width=o.width==null?1:o.width,o.paths=o.paths||df||nu,o.fillTo=se(o.fillTo||lf),o.pxAlign=+ce(
o.pxAlign,C),o.pxRound=yr(o.pxAlign),o.stroke=se(o.stroke||null),o.fill=se(o.fill||null),o._stroke=o._fill=o._paths=o._focus=null;let f=Xu(rt(1,o.width),1),h=o.
points=Fe({},{size:f,width:rt(1,f*.2),stroke:o.stroke,space:f*2,paths:mf,_stroke:null,_fill:null},o.points);h.show=se(h.show),h.filter=se(h.filter),h.fill=se(h.
fill),h.stroke=se(h.stroke),h.paths=se(h.paths),h.pxAlign=o.pxAlign}if(We){let f=Pl(o,a);$e.splice(a,0,f[0]),Vt.splice(a,0,f[1]),ne.values.push(null)}if(nt){pe.
splice(a,0,null);let f=null;zn?a==0&&(f=Io(o,a)):a>0&&(f=Io(o,a)),Mt.splice(a,0,f),Vn.splice(a,0,0),Hn.splice(a,0,0)}Ke("addSeries",a)}function za(o,a){a=a??_.length,
o=s==1?ro(o,a,hr,wr):ro(o,a,{},gr),_.splice(a,0,o),Fo(_[a],a)}l.addSeries=za;function Va(o){if(_.splice(o,1),We){ne.values.splice(o,1),Vt.splice(o,1);let a=$e.splice(
o,1)[0];In(null,a.firstChild),a.remove()}nt&&(pe.splice(o,1),Mt.splice(o,1)[0].remove(),Vn.splice(o,1),Hn.splice(o,1)),Ke("delSeries",o)}l.delSeries=Va;let vn=[
!1,!1,!1,!1];function Ha(o,a){if(o._show=o.show,o.show){let f=o.side%2,h=k[o.scale];h==null&&(o.scale=f?_[1].scale:L,h=k[o.scale]);let m=h.time;o.size=se(o.size),
o.space=se(o.space),o.rotate=se(o.rotate),hn(o.incrs)&&o.incrs.forEach(v=>{!dn.has(v)&&dn.set(v,Nr(v))}),o.incrs=se(o.incrs||(h.distr==2?ku:m?I==1?Eu:Cu:An)),o.
splits=se(o.splits||(m&&h.distr==1?ct:h.distr==3?lo:h.distr==4?Gu:Yu)),o.stroke=se(o.stroke),o.grid.stroke=se(o.grid.stroke),o.ticks.stroke=se(o.ticks.stroke),o.
border.stroke=se(o.border.stroke);let b=o.values;o.values=hn(b)&&!hn(b[0])?se(b):m?hn(b)?ar(oe,rr(b,V)):lr(b)?Nu(oe,b):b||Ee:b||Uu,o.filter=se(o.filter||(h.distr>=
3&&h.log==10?Ju:h.distr==3&&h.log==2?Zu:$r)),o.font=Sr(o.font),o.labelFont=Sr(o.labelFont),o._size=o.size(l,null,a,0),o._space=o._rotate=o._incrs=o._found=o._splits=
o._values=null,o._size>0&&(vn[a]=!0,o._el=Lt(Pc,g))}}function hl(o,a,f,h){let[m,b,v,M]=f,T=a%2,N=0;return T==0&&(M||b)&&(N=a==0&&!m||a==2&&!v?Ve(fr.size/3):0),T==
1&&(m||v)&&(N=a==1&&!b||a==3&&!M?Ve(mr.size/2):0),N}let Wo=l.padding=(e.padding||[hl,hl,hl,hl]).map(o=>se(ce(o,hl))),sn=l._padding=Wo.map((o,a)=>o(l,a,vn,0)),Ze,
qe=null,Ue=null,Il=s==1?_[0].idxs:null,Rt=null,dl=!1;function Bo(o,a){if(t=o??[],l.data=l._data=t,s==2){Ze=0;for(let f=1;f<_.length;f++)Ze+=t[f][0].length}else{
t.length==0&&(l.data=l._data=t=[[]]),Rt=t[0],Ze=Rt.length;let f=t;if(te==2){f=t.slice();let h=f[0]=Array(Ze);for(let m=0;m<Ze;m++)h[m]=m}l._data=t=f}if(Un(!0),Ke(
"setData"),te==2&&(Wn=!0),a!==!1){let f=$;f.auto(l,dl)?gs():rn(L,f.min,f.max),xn=xn||B.left>=0,kt=!0,Yn()}}l.setData=Bo;function gs(){dl=!0;let o,a;s==1&&(Ze>0?
(qe=Il[0]=0,Ue=Il[1]=Ze-1,o=t[0][qe],a=t[0][Ue],te==2?(o=qe,a=Ue):o==a&&(te==3?[o,a]=ns(o,o,$.log,!1):te==4?[o,a]=fo(o,o,$.log,!1):$.time?a=o+Ve(86400/I):[o,a]=
Xl(o,a,ho,!0))):(qe=Il[0]=o=null,Ue=Il[1]=a=null)),rn(L,o,a)}let Fl,qn,ws,bs,ys,xs,_s,vs,Ss,ft;function zo(o,a,f,h,m,b){o??=Bi,f??=po,h??="butt",m??=Bi,b??="rou\
nd",o!=Fl&&(p.strokeStyle=Fl=o),m!=qn&&(p.fillStyle=qn=m),a!=ws&&(p.lineWidth=ws=a),b!=ys&&(p.lineJoin=ys=b),h!=xs&&(p.lineCap=xs=h),f!=bs&&p.setLineDash(bs=f)}
function Vo(o,a,f,h){a!=qn&&(p.fillStyle=qn=a),o!=_s&&(p.font=_s=o),f!=vs&&(p.textAlign=vs=f),h!=Ss&&(p.textBaseline=Ss=h)}function ks(o,a,f,h,m=0){if(h.length>
0&&o.auto(l,dl)&&(a==null||a.min==null)){let b=ce(qe,0),v=ce(Ue,h.length-1),M=f.min==null?Jc(h,b,v,m,o.distr==3):[f.min,f.max];o.min=zt(o.min,f.min=M[0]),o.max=
rt(o.max,f.max=M[1])}}let Ho={min:null,max:null};function qa(){for(let h in k){let m=k[h];q[h]==null&&(m.min==null||q[L]!=null&&m.auto(l,dl))&&(q[h]=Ho)}for(let h in k){
let m=k[h];q[h]==null&&m.from!=null&&q[m.from]!=null&&(q[h]=Ho)}q[L]!=null&&Un(!0);let o={};for(let h in q){let m=q[h];if(m!=null){let b=o[h]=il(k[h],ou);if(m.min!=
null)Fe(b,m);else if(h!=L||s==2)if(Ze==0&&b.from==null){let v=b.range(l,null,null,h);b.min=v[0],b.max=v[1]}else b.min=be,b.max=-be}}if(Ze>0){_.forEach((h,m)=>{if(s==
1){let b=h.scale,v=q[b];if(v==null)return;let M=o[b];if(m==0){let T=M.range(l,M.min,M.max,b);M.min=T[0],M.max=T[1],qe=Bt(M.min,t[0]),Ue=Bt(M.max,t[0]),Ue-qe>1&&
(t[0][qe]<M.min&&qe++,t[0][Ue]>M.max&&Ue--),h.min=Rt[qe],h.max=Rt[Ue]}else h.show&&h.auto&&ks(M,v,h,t[m],h.sorted);h.idxs[0]=qe,h.idxs[1]=Ue}else if(m>0&&h.show&&
h.auto){let[b,v]=h.facets,M=b.scale,T=v.scale,[N,D]=t[m],O=o[M],j=o[T];O!=null&&ks(O,q[M],b,N,b.sorted),j!=null&&ks(j,q[T],v,D,v.sorted),h.min=v.min,h.max=v.max}});
for(let h in o){let m=o[h],b=q[h];if(m.from==null&&(b==null||b.min==null)){let v=m.range(l,m.min==be?null:m.min,m.max==-be?null:m.max,h);m.min=v[0],m.max=v[1]}}}
for(let h in o){let m=o[h];if(m.from!=null){let b=o[m.from];if(b.min==null)m.min=m.max=null;else{let v=m.range(l,b.min,b.max,h);m.min=v[0],m.max=v[1]}}}let a={},
f=!1;for(let h in o){let m=o[h],b=k[h];if(b.min!=m.min||b.max!=m.max){b.min=m.min,b.max=m.max;let v=b.distr;b._min=v==3?en(b.min):v==4?Ks(b.min,b.asinh):v==100?
b.fwd(b.min):b.min,b._max=v==3?en(b.max):v==4?Ks(b.max,b.asinh):v==100?b.fwd(b.max):b.max,a[h]=f=!0}}if(f){_.forEach((h,m)=>{s==2?m>0&&a.y&&(h._paths=null):a[h.
scale]&&(h._paths=null)});for(let h in a)Wn=!0,Ke("setScale",h);nt&&B.left>=0&&(xn=kt=!0)}for(let h in q)q[h]=null}function Ua(o){let a=no(qe-1,0,Ze-1),f=no(Ue+
1,0,Ze-1);for(;o[a]==null&&a>0;)a--;for(;o[f]==null&&f<Ze-1;)f++;return[a,f]}function Ya(){if(Ze>0){let o=_.some(a=>a._focus)&&ft!=qt.alpha;o&&(p.globalAlpha=ft=
qt.alpha),_.forEach((a,f)=>{if(f>0&&a.show&&(qo(f,!1),qo(f,!0),a._paths==null)){let h=ft;ft!=a.alpha&&(p.globalAlpha=ft=a.alpha);let m=s==2?[0,t[f][0].length-1]:
Ua(t[f]);a._paths=a.paths(l,f,m[0],m[1]),ft!=h&&(p.globalAlpha=ft=h)}}),_.forEach((a,f)=>{if(f>0&&a.show){let h=ft;ft!=a.alpha&&(p.globalAlpha=ft=a.alpha),a._paths!=
null&&Uo(f,!1);{let m=a._paths!=null?a._paths.gaps:null,b=a.points.show(l,f,qe,Ue,m),v=a.points.filter(l,f,b,m);(b||v)&&(a.points._paths=a.points.paths(l,f,qe,Ue,
v),Uo(f,!0))}ft!=h&&(p.globalAlpha=ft=h),Ke("drawSeries",f)}}),o&&(p.globalAlpha=ft=1)}}function qo(o,a){let f=a?_[o].points:_[o];f._stroke=f.stroke(l,o),f._fill=
f.fill(l,o)}function Uo(o,a){let f=a?_[o].points:_[o],{stroke:h,fill:m,clip:b,flags:v,_stroke:M=f._stroke,_fill:T=f._fill,_width:N=f.width}=f._paths;N=ye(N*fe,3);
let D=null,O=N%2/2;a&&T==null&&(T=N>0?"#fff":M);let j=f.pxAlign==1&&O>0;if(j&&p.translate(O,O),!a){let ue=dt-N/2,ae=St-N/2,le=ut+N,U=Pt+N;D=new Path2D,D.rect(ue,
ae,le,U)}a?Ms(M,N,f.dash,f.cap,T,h,m,v,b):Ga(o,M,N,f.dash,f.cap,T,h,m,v,D,b),j&&p.translate(-O,-O)}function Ga(o,a,f,h,m,b,v,M,T,N,D){let O=!1;T!=0&&J.forEach((j,ue)=>{
if(j.series[0]==o){let ae=_[j.series[1]],le=t[j.series[1]],U=(ae._paths||Al).band;hn(U)&&(U=j.dir==1?U[0]:U[1]);let z,ke=null;ae.show&&U&&Qc(le,qe,Ue)?(ke=j.fill(
l,ue)||b,z=ae._paths.clip):U=null,Ms(a,f,h,m,ke,v,M,T,N,D,z,U),O=!0}}),O||Ms(a,f,h,m,b,v,M,T,N,D)}let Yo=rl|oo;function Ms(o,a,f,h,m,b,v,M,T,N,D,O){zo(o,a,f,h,m),
(T||N||O)&&(p.save(),T&&p.clip(T),N&&p.clip(N)),O?(M&Yo)==Yo?(p.clip(O),D&&p.clip(D),Bl(m,v),Wl(o,b,a)):M&oo?(Bl(m,v),p.clip(O),Wl(o,b,a)):M&rl&&(p.save(),p.clip(
O),D&&p.clip(D),Bl(m,v),p.restore(),Wl(o,b,a)):(Bl(m,v),Wl(o,b,a)),(T||N||O)&&p.restore()}function Wl(o,a,f){f>0&&(a instanceof Map?a.forEach((h,m)=>{p.strokeStyle=
Fl=m,p.stroke(h)}):a!=null&&o&&p.stroke(a))}function Bl(o,a){a instanceof Map?a.forEach((f,h)=>{p.fillStyle=qn=h,p.fill(f)}):a!=null&&o&&p.fill(a)}function Ka(o,a,f,h){
let m=A[o],b;if(h<=0)b=[0,0];else{let v=m._space=m.space(l,o,a,f,h),M=m._incrs=m.incrs(l,o,a,f,h,v);b=xf(a,f,M,h,v)}return m._found=b}function Es(o,a,f,h,m,b,v,M,T,N){
let D=v%2/2;C==1&&p.translate(D,D),zo(M,v,T,N,M),p.beginPath();let O,j,ue,ae,le=m+(h==0||h==3?-b:b);f==0?(j=m,ae=le):(O=m,ue=le);for(let U=0;U<o.length;U++)a[U]!=
null&&(f==0?O=ue=o[U]:j=ae=o[U],p.moveTo(O,j),p.lineTo(ue,ae));p.stroke(),C==1&&p.translate(-D,-D)}function ja(o){let a=!0;return A.forEach((f,h)=>{if(!f.show)return;
let m=k[f.scale];if(m.min==null){f._show&&(a=!1,f._show=!1,Un(!1));return}else f._show||(a=!1,f._show=!0,Un(!1));let b=f.side,v=b%2,{min:M,max:T}=m,[N,D]=Ka(h,M,
T,v==0?ee:P);if(D==0)return;let O=m.distr==2,j=f._splits=f.splits(l,h,M,T,N,D,O),ue=m.distr==2?j.map(z=>Rt[z]):j,ae=m.distr==2?Rt[j[1]]-Rt[j[0]]:N,le=f._values=
f.values(l,f.filter(l,ue,h,D,ae),h,D,ae);f._rotate=b==2?f.rotate(l,le,h,D):0;let U=f._size;f._size=Nt(f.size(l,le,h,o)),U!=null&&f._size!=U&&(a=!1)}),a}function Ja(o){
let a=!0;return Wo.forEach((f,h)=>{let m=f(l,h,vn,o);m!=sn[h]&&(a=!1),sn[h]=m}),a}function Za(){for(let o=0;o<A.length;o++){let a=A[o];if(!a.show||!a._show)continue;
let f=a.side,h=f%2,m,b,v=a.stroke(l,o),M=f==0||f==3?-1:1,[T,N]=a._found;if(a.label!=null){let ot=a.labelGap*M,gt=Ve((a._lpos+ot)*fe);Vo(a.labelFont[0],v,"center",
f==2?"top":Wi),p.save(),h==1?(m=b=0,p.translate(gt,Ve(St+Pt/2)),p.rotate((f==3?-Zl:Zl)/2)):(m=Ve(dt+ut/2),b=gt);let Mn=Ar(a.label)?a.label(l,o,T,N):a.label;p.fillText(
Mn,m,b),p.restore()}if(N==0)continue;let D=k[a.scale],O=h==0?ut:Pt,j=h==0?dt:St,ue=a._splits,ae=D.distr==2?ue.map(ot=>Rt[ot]):ue,le=D.distr==2?Rt[ue[1]]-Rt[ue[0]]:
T,U=a.ticks,z=a.border,ke=U.show?U.size:0,Le=Ve(ke*fe),je=Ve((a.alignTo==2?a._size-ke-a.gap:a.gap)*fe),ge=a._rotate*-Zl/180,Ne=x(a._pos*fe),mt=(Le+je)*M,st=Ne+mt;
b=h==0?st:0,m=h==1?st:0;let Et=a.font[0],Ot=a.align==1?tl:a.align==2?Us:ge>0?tl:ge<0?Us:h==0?"center":f==3?Us:tl,Gt=ge||h==1?"middle":f==2?"top":Wi;Vo(Et,v,Ot,Gt);
let pt=a.font[1]*a.lineGap,Tt=ue.map(ot=>x(r(ot,D,O,j))),It=a._values;for(let ot=0;ot<It.length;ot++){let gt=It[ot];if(gt!=null){h==0?m=Tt[ot]:b=Tt[ot],gt=""+gt;
let Mn=gt.indexOf(`
`)==-1?[gt]:gt.split(/\n/gm);for(let it=0;it<Mn.length;it++){let fi=Mn[it];ge?(p.save(),p.translate(m,b+it*pt),p.rotate(ge),p.fillText(fi,0,0),p.restore()):p.fillText(
fi,m,b+it*pt)}}}U.show&&Es(Tt,U.filter(l,ae,o,N,le),h,f,Ne,Le,ye(U.width*fe,3),U.stroke(l,o),U.dash,U.cap);let Kt=a.grid;Kt.show&&Es(Tt,Kt.filter(l,ae,o,N,le),h,
h==0?2:1,h==0?St:dt,h==0?Pt:ut,ye(Kt.width*fe,3),Kt.stroke(l,o),Kt.dash,Kt.cap),z.show&&Es([Ne],[1],h==0?1:0,h==0?1:2,h==1?St:dt,h==1?Pt:ut,ye(z.width*fe,3),z.stroke(
l,o),z.dash,z.cap)}Ke("drawAxes")}function Un(o){_.forEach((a,f)=>{f>0&&(a._paths=null,o&&(s==1?(a.min=null,a.max=null):a.facets.forEach(h=>{h.min=null,h.max=null})))})}
let zl=!1,Ts=!1,ml=[];function Qa(){Ts=!1;for(let o=0;o<ml.length;o++)Ke(...ml[o]);ml.length=0}function Yn(){zl||(hu(Go),zl=!0)}function Xa(o,a=!1){zl=!0,Ts=a,o(
l),Go(),a&&ml.length>0&&queueMicrotask(Qa)}l.batch=Xa;function Go(){if(ms&&(qa(),ms=!1),Wn&&(Ia(),Wn=!1),Rl){if(Me(E,tl,xe),Me(E,"top",Be),Me(E,kl,ee),Me(E,Ml,P),
Me(S,tl,xe),Me(S,"top",Be),Me(S,kl,ee),Me(S,Ml,P),Me(g,kl,Qt),Me(g,Ml,wn),w.width=Ve(Qt*fe),w.height=Ve(wn*fe),A.forEach(({_el:o,_show:a,_size:f,_pos:h,side:m})=>{
if(o!=null)if(a){let b=m===3||m===0?f:0,v=m%2==1;Me(o,v?"left":"top",h-b),Me(o,v?"width":"height",f),Me(o,v?"top":"left",v?Be:xe),Me(o,v?"height":"width",v?P:ee),
eo(o,Cn)}else wt(o,Cn)}),Fl=qn=ws=ys=xs=_s=vs=Ss=bs=null,ft=1,wl(!0),xe!=Fn||Be!=bn||ee!=Ht||P!=yn){Un(!1);let o=ee/Ht,a=P/yn;if(nt&&!xn&&B.left>=0){B.left*=o,B.
top*=a,Gn&&Jt(Gn,Ve(B.left),0,ee,P),Kn&&Jt(Kn,0,Ve(B.top),ee,P);for(let f=0;f<Mt.length;f++){let h=Mt[f];h!=null&&(Vn[f]*=o,Hn[f]*=a,Jt(h,Nt(Vn[f]),Nt(Hn[f]),ee,
P))}}if(Se.show&&!Ol&&Se.left>=0&&Se.width>0){Se.left*=o,Se.width*=o,Se.top*=a,Se.height*=a;for(let f in Ds)Me(Zn,f,Se[f])}Fn=xe,bn=Be,Ht=ee,yn=P}Ke("setSize"),
Rl=!1}Qt>0&&wn>0&&(p.clearRect(0,0,w.width,w.height),Ke("drawClear"),Y.forEach(o=>o()),Ke("draw")),Se.show&&Ol&&(Vl(Se),Ol=!1),nt&&xn&&(kn(null,!0,!1),xn=!1),ne.
show&&ne.live&&kt&&(Ls(),kt=!1),u||(u=!0,l.status=1,Ke("ready")),dl=!1,zl=!1}l.redraw=(o,a)=>{Wn=a||!1,o!==!1?rn(L,$.min,$.max):Yn()};function As(o,a){let f=k[o];
if(f.from==null){if(Ze==0){let h=f.range(l,a.min,a.max,o);a.min=h[0],a.max=h[1]}if(a.min>a.max){let h=a.min;a.min=a.max,a.max=h}if(Ze>1&&a.min!=null&&a.max!=null&&
a.max-a.min<1e-16)return;o==L&&f.distr==2&&Ze>0&&(a.min=Bt(a.min,t[0]),a.max=Bt(a.max,t[0]),a.min==a.max&&a.max++),q[o]=a,ms=!0,Yn()}}l.setScale=As;let Cs,$s,Gn,
Kn,Ko,jo,jn,Jn,Jo,Zo,ve,Ae,on=!1,Qe=B.drag,Ye=Qe.x,Ge=Qe.y;nt&&(B.x&&(Cs=Lt(Oc,S)),B.y&&($s=Lt(Ic,S)),$.ori==0?(Gn=Cs,Kn=$s):(Gn=$s,Kn=Cs),ve=B.left,Ae=B.top);let Se=l.
select=Fe({show:!0,over:!0,left:0,width:0,top:0,height:0},e.select),Zn=Se.show?Lt(Rc,Se.over?S:E):null;function Vl(o,a){if(Se.show){for(let f in o)Se[f]=o[f],f in
Ds&&Me(Zn,f,o[f]);a!==!1&&Ke("setSelect")}}l.setSelect=Vl;function ec(o){if(_[o].show)We&&eo($e[o],Cn);else if(We&&wt($e[o],Cn),nt){let f=zn?Mt[0]:Mt[o];f!=null&&
Jt(f,-10,-10,ee,P)}}function rn(o,a,f){As(o,{min:a,max:f})}function Ut(o,a,f,h){a.focus!=null&&oc(o),a.show!=null&&_.forEach((m,b)=>{b>0&&(o==b||o==null)&&(m.show=
a.show,ec(b),s==2?(rn(m.facets[0].scale,null,null),rn(m.facets[1].scale,null,null)):rn(m.scale,null,null),Yn())}),f!==!1&&Ke("setSeries",o,a),h&&bl("setSeries",
l,o,a)}l.setSeries=Ut;function tc(o,a){Fe(J[o],a)}function nc(o,a){o.fill=se(o.fill||null),o.dir=ce(o.dir,-1),a=a??J.length,J.splice(a,0,o)}function lc(o){o==null?
J.length=0:J.splice(o,1)}l.addBand=nc,l.setBand=tc,l.delBand=lc;function sc(o,a){_[o].alpha=a,nt&&Mt[o]!=null&&(Mt[o].style.opacity=a),We&&$e[o]&&($e[o].style.opacity=
a)}let Xt,an,Sn,Qn={focus:!0};function oc(o){if(o!=Sn){let a=o==null,f=qt.alpha!=1;_.forEach((h,m)=>{if(s==1||m>0){let b=a||m==0||m==o;h._focus=a?null:b,f&&sc(m,
b?1:qt.alpha)}}),Sn=o,f&&Yn()}}We&&Bn&&lt(Hi,he,o=>{B._lock||(_n(o),Sn!=null&&Ut(null,Qn,!0,Ie.setSeries))});function Yt(o,a,f){let h=k[a];f&&(o=o/fe-(h.ori==1?
Be:xe));let m=ee;h.ori==1&&(m=P,o=m-o),h.dir==-1&&(o=m-o);let b=h._min,v=h._max,M=o/m,T=b+(v-b)*M,N=h.distr;return N==3?sl(10,T):N==4?eu(T,h.asinh):N==100?h.bwd(
T):T}function ic(o,a){let f=Yt(o,L,a);return Bt(f,t[0],qe,Ue)}l.valToIdx=o=>Bt(o,t[0]),l.posToIdx=ic,l.posToVal=Yt,l.valToPos=(o,a,f)=>k[a].ori==0?i(o,k[a],f?ut:
ee,f?dt:0):c(o,k[a],f?Pt:P,f?St:0),l.setCursor=(o,a,f)=>{ve=o.left,Ae=o.top,kn(null,a,f)};function Qo(o,a){Me(Zn,tl,Se.left=o),Me(Zn,kl,Se.width=a)}function Xo(o,a){
Me(Zn,"top",Se.top=o),Me(Zn,Ml,Se.height=a)}let pl=$.ori==0?Qo:Xo,gl=$.ori==1?Qo:Xo;function rc(){if(We&&ne.live)for(let o=s==2?1:0;o<_.length;o++){if(o==0&&vt)
continue;let a=ne.values[o],f=0;for(let h in a)Vt[o][f++].firstChild.nodeValue=a[h]}}function Ls(o,a){if(o!=null&&(o.idxs?o.idxs.forEach((f,h)=>{pe[h]=f}):su(o.
idx)||pe.fill(o.idx),ne.idx=pe[0]),We&&ne.live){for(let f=0;f<_.length;f++)(f>0||s==1&&!vt)&&ac(f,pe[f]);rc()}kt=!1,a!==!1&&Ke("setLegend")}l.setLegend=Ls;function ac(o,a){
let f=_[o],h=o==0&&te==2?Rt:t[o],m;vt?m=f.values(l,o,a)??ln:(m=f.value(l,a==null?null:h[a],o,a),m=m==null?ln:{_:m}),ne.values[o]=m}function kn(o,a,f){Jo=ve,Zo=Ae,
[ve,Ae]=B.move(l,ve,Ae),B.left=ve,B.top=Ae,nt&&(Gn&&Jt(Gn,Ve(ve),0,ee,P),Kn&&Jt(Kn,0,Ve(Ae),ee,P));let h,m=qe>Ue;Xt=be,an=null;let b=$.ori==0?ee:P,v=$.ori==1?ee:
P;if(ve<0||Ze==0||m){h=B.idx=null;for(let M=0;M<_.length;M++){let T=Mt[M];T!=null&&Jt(T,-10,-10,ee,P)}Bn&&Ut(null,Qn,!0,o==null&&Ie.setSeries),ne.live&&(pe.fill(
h),kt=!0)}else{let M,T,N;s==1&&(M=$.ori==0?ve:Ae,T=Yt(M,L),h=B.idx=Bt(T,t[0],qe,Ue),N=W(t[0][h],$,b,0));let D=-10,O=-10,j=0,ue=0,ae=!0,le="",U="";for(let z=s==2?
1:0;z<_.length;z++){let ke=_[z],Le=pe[z],je=Le==null?null:s==1?t[z][Le]:t[z][1][Le],ge=B.dataIdx(l,z,h,T),Ne=ge==null?null:s==1?t[z][ge]:t[z][1][ge];if(kt=kt||Ne!=
je||ge!=Le,pe[z]=ge,z>0&&ke.show){let mt=ge==null?-10:ge==h?N:W(s==1?t[0][ge]:t[z][0][ge],$,b,0),st=Ne==null?-10:K(Ne,s==1?k[ke.scale]:k[ke.facets[1].scale],v,0);
if(Bn&&Ne!=null){let Et=$.ori==1?ve:Ae,Ot=He(qt.dist(l,z,ge,st,Et));if(Ot<Xt){let Gt=qt.bias;if(Gt!=0){let pt=Yt(Et,ke.scale),Tt=Ne>=0?1:-1,It=pt>=0?1:-1;It==Tt&&
(It==1?Gt==1?Ne>=pt:Ne<=pt:Gt==1?Ne<=pt:Ne>=pt)&&(Xt=Ot,an=z)}else Xt=Ot,an=z}}if(kt||zn){let Et,Ot;$.ori==0?(Et=mt,Ot=st):(Et=st,Ot=mt);let Gt,pt,Tt,It,Kt,ot,gt=!0,
Mn=et.bbox;if(Mn!=null){gt=!1;let it=Mn(l,z);Tt=it.left,It=it.top,Gt=it.width,pt=it.height}else Tt=Et,It=Ot,Gt=pt=et.size(l,z);if(ot=et.fill(l,z),Kt=et.stroke(l,
z),zn)z==an&&Xt<=qt.prox&&(D=Tt,O=It,j=Gt,ue=pt,ae=gt,le=ot,U=Kt);else{let it=Mt[z];it!=null&&(Vn[z]=Tt,Hn[z]=It,Ji(it,Gt,pt,gt),Ki(it,ot,Kt),Jt(it,Nt(Tt),Nt(It),
ee,P))}}}}if(zn){let z=qt.prox,ke=Sn==null?Xt<=z:Xt>z||an!=Sn;if(kt||ke){let Le=Mt[0];Le!=null&&(Vn[0]=D,Hn[0]=O,Ji(Le,j,ue,ae),Ki(Le,le,U),Jt(Le,Nt(D),Nt(O),ee,
P))}}}if(Se.show&&on)if(o!=null){let[M,T]=Ie.scales,[N,D]=Ie.match,[O,j]=o.cursor.sync.scales,ue=o.cursor.drag;if(Ye=ue._x,Ge=ue._y,Ye||Ge){let{left:ae,top:le,width:U,
height:z}=o.select,ke=o.scales[O].ori,Le=o.posToVal,je,ge,Ne,mt,st,Et=M!=null&&N(M,O),Ot=T!=null&&D(T,j);Et&&Ye?(ke==0?(je=ae,ge=U):(je=le,ge=z),Ne=k[M],mt=W(Le(
je,O),Ne,b,0),st=W(Le(je+ge,O),Ne,b,0),pl(zt(mt,st),He(st-mt))):pl(0,b),Ot&&Ge?(ke==1?(je=ae,ge=U):(je=le,ge=z),Ne=k[T],mt=K(Le(je,j),Ne,v,0),st=K(Le(je+ge,j),Ne,
v,0),gl(zt(mt,st),He(st-mt))):gl(0,v)}else Ps()}else{let M=He(Jo-Ko),T=He(Zo-jo);if($.ori==1){let j=M;M=T,T=j}Ye=Qe.x&&M>=Qe.dist,Ge=Qe.y&&T>=Qe.dist;let N=Qe.uni;
N!=null?Ye&&Ge&&(Ye=M>=N,Ge=T>=N,!Ye&&!Ge&&(T>M?Ge=!0:Ye=!0)):Qe.x&&Qe.y&&(Ye||Ge)&&(Ye=Ge=!0);let D,O;Ye&&($.ori==0?(D=jn,O=ve):(D=Jn,O=Ae),pl(zt(D,O),He(O-D)),
Ge||gl(0,v)),Ge&&($.ori==1?(D=jn,O=ve):(D=Jn,O=Ae),gl(zt(D,O),He(O-D)),Ye||pl(0,b)),!Ye&&!Ge&&(pl(0,0),gl(0,0))}if(Qe._x=Ye,Qe._y=Ge,o==null){if(f){if(ui!=null){
let[M,T]=Ie.scales;Ie.values[0]=M!=null?Yt($.ori==0?ve:Ae,M):null,Ie.values[1]=T!=null?Yt($.ori==1?ve:Ae,T):null}bl(Ys,l,ve,Ae,ee,P,h)}if(Bn){let M=f&&Ie.setSeries,
T=qt.prox;Sn==null?Xt<=T&&Ut(an,Qn,!0,M):Xt>T?Ut(null,Qn,!0,M):an!=Sn&&Ut(an,Qn,!0,M)}}kt&&(ne.idx=h,Ls()),a!==!1&&Ke("setCursor")}let cn=null;Object.defineProperty(
l,"rect",{get(){return cn==null&&wl(!1),cn}});function wl(o=!1){o?cn=null:(cn=S.getBoundingClientRect(),Ke("syncRect",cn))}function ei(o,a,f,h,m,b,v){B._lock||on&&
o!=null&&o.movementX==0&&o.movementY==0||(Ns(o,a,f,h,m,b,v,!1,o!=null),o!=null?kn(null,!0,!0):kn(a,!0,!1))}function Ns(o,a,f,h,m,b,v,M,T){if(cn==null&&wl(!1),_n(
o),o!=null)f=o.clientX-cn.left,h=o.clientY-cn.top;else{if(f<0||h<0){ve=-10,Ae=-10;return}let[N,D]=Ie.scales,O=a.cursor.sync,[j,ue]=O.values,[ae,le]=O.scales,[U,
z]=Ie.match,ke=a.axes[0].side%2==1,Le=$.ori==0?ee:P,je=$.ori==1?ee:P,ge=ke?b:m,Ne=ke?m:b,mt=ke?h:f,st=ke?f:h;if(ae!=null?f=U(N,ae)?r(j,k[N],Le,0):-10:f=Le*(mt/ge),
le!=null?h=z(D,le)?r(ue,k[D],je,0):-10:h=je*(st/Ne),$.ori==1){let Et=f;f=h,h=Et}}T&&(a==null||a.cursor.event.type==Ys)&&((f<=1||f>=ee-1)&&(f=Tn(f,ee)),(h<=1||h>=
P-1)&&(h=Tn(h,P))),M?(Ko=f,jo=h,[jn,Jn]=B.move(l,f,h)):(ve=f,Ae=h)}let Ds={width:0,height:0,left:0,top:0};function Ps(){Vl(Ds,!1)}let ti,ni,li,si;function oi(o,a,f,h,m,b,v){
on=!0,Ye=Ge=Qe._x=Qe._y=!1,Ns(o,a,f,h,m,b,v,!0,!1),o!=null&&(lt(Gs,Qs,ii,!1),bl(zi,l,jn,Jn,ee,P,null));let{left:M,top:T,width:N,height:D}=Se;ti=M,ni=T,li=N,si=D}
function ii(o,a,f,h,m,b,v){on=Qe._x=Qe._y=!1,Ns(o,a,f,h,m,b,v,!1,!0);let{left:M,top:T,width:N,height:D}=Se,O=N>0||D>0,j=ti!=M||ni!=T||li!=N||si!=D;if(O&&j&&Vl(Se),
Qe.setScale&&O&&j){let ue=M,ae=N,le=T,U=D;if($.ori==1&&(ue=T,ae=D,le=M,U=N),Ye&&rn(L,Yt(ue,L),Yt(ue+ae,L)),Ge)for(let z in k){let ke=k[z];z!=L&&ke.from==null&&ke.
min!=be&&rn(z,Yt(le+U,z),Yt(le,z))}Ps()}else B.lock&&(B._lock=!B._lock,kn(a,!0,o!=null));o!=null&&(In(Gs,Qs),bl(Gs,l,ve,Ae,ee,P,null))}function cc(o,a,f,h,m,b,v){
if(B._lock)return;_n(o);let M=on;if(on){let T=!0,N=!0,D=10,O,j;$.ori==0?(O=Ye,j=Ge):(O=Ge,j=Ye),O&&j&&(T=ve<=D||ve>=ee-D,N=Ae<=D||Ae>=P-D),O&&T&&(ve=ve<jn?0:ee),
j&&N&&(Ae=Ae<Jn?0:P),kn(null,!0,!0),on=!1}ve=-10,Ae=-10,pe.fill(null),kn(null,!0,!0),M&&(on=M)}function ri(o,a,f,h,m,b,v){B._lock||(_n(o),gs(),Ps(),o!=null&&bl(
qi,l,ve,Ae,ee,P,null))}function ai(){A.forEach(_f),ps(l.width,l.height,!0)}$n(Ql,ll,ai);let Xn={};Xn.mousedown=oi,Xn.mousemove=ei,Xn.mouseup=ii,Xn.dblclick=ri,Xn.
setSeries=(o,a,f,h)=>{let m=Ie.match[2];f=m(l,a,f),f!=-1&&Ut(f,h,!0,!1)},nt&&(lt(zi,S,oi),lt(Ys,S,ei),lt(Vi,S,o=>{_n(o),wl(!1)}),lt(Hi,S,cc),lt(qi,S,ri),io.add(
l),l.syncRect=wl);let Hl=l.hooks=e.hooks||{};function Ke(o,a,f){Ts?ml.push([o,a,f]):o in Hl&&Hl[o].forEach(h=>{h.call(null,l,a,f)})}(e.plugins||[]).forEach(o=>{
for(let a in o.hooks)Hl[a]=(Hl[a]||[]).concat(o.hooks[a])});let ci=(o,a,f)=>f,Ie=Fe({key:null,setSeries:!1,filters:{pub:tr,sub:tr},scales:[L,_[1]?_[1].scale:null],
match:[nr,nr,ci],values:[null,null]},B.sync);Ie.match.length==2&&Ie.match.push(ci),B.sync=Ie;let ui=Ie.key,Rs=Qr(ui);function bl(o,a,f,h,m,b,v){Ie.filters.pub(o,
a,f,h,m,b,v)&&Rs.pub(o,a,f,h,m,b,v)}Rs.sub(l);function uc(o,a,f,h,m,b,v){Ie.filters.sub(o,a,f,h,m,b,v)&&Xn[o](null,a,f,h,m,b,v)}l.pub=uc;function fc(){Rs.unsub(
l),io.delete(l),gn.clear(),to(Ql,ll,ai),d.remove(),he?.remove(),Ke("destroy")}l.destroy=fc;function Os(){Ke("init",e,t),Bo(t||e.data,!1),q[L]?As(L,q[L]):gs(),Ol=
Se.show&&(Se.width>0||Se.height>0),xn=kt=!0,ps(e.width,e.height)}return _.forEach(Fo),A.forEach(Ha),n?n instanceof HTMLElement?(n.appendChild(d),Os()):n(l,Os):Os(),
l}Xe.assign=Fe;Xe.fmtNum=mo;Xe.rangeNum=Xl;Xe.rangeLog=ns;Xe.rangeAsinh=fo;Xe.orient=Nn;Xe.pxRatio=fe;Xe.join=fu;Xe.fmtDate=go,Xe.tzDate=vu;Xe.sync=Qr;{Xe.addGap=
sf,Xe.clipGaps=os;let e=Xe.paths={points:sa};e.linear=ia,e.stepped=af,e.bars=cf,e.spline=ff}var Pe=22,xt=24,mn=null;function So(){mn=null}function _e(e){return mn||(mn=new Map,mn.style=getComputedStyle(document.documentElement)),mn.has(e)||mn.set(e,mn.
style.getPropertyValue(`--${e}`).trim()||"#888"),mn.get(e)}function vf(e,t){let n=e/Math.max(2,t/110),l=10**Math.floor(Math.log10(n));for(let s of[1,2,5,10])if(s*
l>=n)return s*l;return 10*l}function Sf(e,t){let[n,l]=[["s",1e9],["ms",1e6],["\xB5s",1e3],["ns",1]].find(([,s])=>Math.abs(e)>=s)??["ns",1];return e===0||e>=12e10?
R(e):`${(e/l).toFixed(Math.max(0,Math.ceil(Math.log10(l/t)-1e-9)))} ${n}`}function ua(e,{from:t,to:n,left:l,width:s,height:i}){let c=vf(n-t,s);e.fillStyle=_e("q\
uiet"),e.strokeStyle=_e("line"),e.font="11px system-ui, sans-serif",e.textBaseline="middle",e.beginPath();for(let r=Math.ceil(t/c)*c;r<=n;r+=c){let u=Math.round(
l+(r-t)/(n-t)*s)+.5;e.moveTo(u,xt-5),e.lineTo(u,i),u<l+s-40&&e.fillText(Sf(Math.round(r),c),u+3,xt/2)}e.stroke()}function kf(e,t,{from:n,to:l,left:s,width:i},c){
let r=i/(l-n);for(let u=0;u<t.bins.length;u+=4){let d=t.from+t.bins[u]*t.binNs;if(d>l)break;if(d+t.binNs<n)continue;let w=Math.round(s+Math.max(0,d-n)*r),p=Math.
max(1,Math.round(s+Math.min(l-n,d+t.binNs-n)*r)-w),g=Math.max(3,t.bins[u+2]/1e3*(Pe-6));e.fillStyle=_e(t.ops[t.bins[u+3]].kind),e.fillRect(w,c+Pe-3-g,p,g)}}function Mf(e,t,{
from:n,to:l,left:s,width:i,chosen:c},r){let u=i/(l-n),d=[-1,-1];e.font="11px system-ui, sans-serif",e.textBaseline="middle";for(let w of t.slices){if(w.start>l)
break;let p=w.duration===null?l:w.start+w.duration;if(p<n)continue;let g=s+Math.max(0,(w.start-n)*u),E=s+Math.min(i,(p-n)*u),S=w.depth>0?1:0,C=c===w.seq;if(E-g<
1&&g<d[S]&&!C)continue;let x=Math.max(1,E-g);d[S]=g+x;let I=S?r+3+Math.min(3,w.depth)*4:r+3,_=S?Math.max(3,Pe-6-Math.min(3,w.depth)*4):Pe-6;if(e.globalAlpha=w.duration===
null?.5:1,e.fillStyle=_e(w.op.kind),e.fillRect(g,I,x,_),e.globalAlpha=1,S&&(e.fillStyle=_e("card"),e.fillRect(g,I-1,x,1)),w.failed&&(e.fillStyle=_e("critical"),
e.fillRect(g,r+1,Math.max(2,x),2)),C&&(e.strokeStyle=_e("ink"),e.lineWidth=2,e.strokeRect(g,r+2,x,Pe-4),e.lineWidth=1),x>34&&!S){e.fillStyle=_e("card");let A=Math.
floor((x-6)/6),k=w.op.op;e.fillText(k.length<=A?k:`${k.slice(0,Math.max(1,A-1))}\u2026`,g+3,r+Pe/2)}}}function fa(e,t,n,l){for(let{line:s,y:i}of t){if(s.lane&&s.
lane.lane===l.lane&&(e.fillStyle=_e("chosen"),e.fillRect(0,i,l.left+l.width,Pe)),s.chains){let r=l.width/(l.to-l.from);for(let u of s.chains){let d=Math.max(l.left,
l.left+(u.from-l.from)*r),w=Math.min(l.left+l.width,l.left+(u.to-l.from)*r);w<l.left||d>l.left+l.width||(e.fillStyle=_e("chain"),e.globalAlpha=u.id===l.chain?.9:
.5,e.fillRect(d,i+4,Math.max(3,w-d),Pe-8),e.globalAlpha=1)}continue}let c=s.lane?n.get(s.lane.lane):null;c&&(kf(e,c,l,i),Mf(e,c,l,i))}}var ha=["launch","memcpy","collective","alloc","sync","fabric","graph","p2p","memset","event","module","stream"],cs=e=>_e(ha[e%ha.length]),da=(e,t,n)=>({space:n,
stroke:()=>_e("quiet"),grid:{stroke:()=>_e("line"),width:1},ticks:{stroke:()=>_e("line")},values:e,size:t});function Ef(e,t,n,l){let s=null,i=new ResizeObserver(
()=>{let c=e.clientWidth;c&&(s||(s=new Xe({...t,width:c,height:l},n,e),s.root.querySelector("canvas").setAttribute("aria-hidden","true")),s.width!==c&&s.setSize(
{width:c,height:l}),e.plot=s)});return i.observe(e),e.close=()=>{i.disconnect(),s?.destroy()},e}function pn({label:e,times:t,series:n,text:l,timeText:s,height:i=220,
stacked:c=!1,choose:r=null}){let u=y("div",{class:"chart",role:"img","aria-label":`${e}: ${n.map(p=>p.name).join(", ")}`}),d=n.map(p=>p.values);if(c){let p=new Array(
t.length).fill(0);d=d.map(g=>g.map((E,S)=>p[S]+=E??0))}let w=n.map((p,g)=>({label:p.name,stroke:()=>cs(g),width:1.5,points:{show:t.length<3},spanGaps:!0,fill:c?
()=>cs(g):void 0,value:(E,S,C,x)=>x===null?"\u2013":l(n[g].values[x])}));return c&&(w.reverse(),d.reverse()),Ef(u,{cursor:{drag:{x:!0,y:!1,setScale:!r}},scales:{
x:{time:!1},y:{range:(p,g,E)=>[Math.min(0,g??0),(E||1)*1.05]}},axes:[da((p,g)=>g.map(E=>s(E)),30,90),da((p,g)=>g.map(E=>l(E)),74,35)],series:[{label:"Time",value:(p,g)=>g===
null?"\u2013":s(g)},...w],legend:{live:!0},hooks:r?{setSelect:[p=>{p.select.width>3&&r(p.posToVal(p.select.left,"x"),p.posToVal(p.select.left+p.select.width,"x"))}]}:
{}},[t,...d],i)}var ko=e=>`${e.pid}|${e.stream??""}|${e.phase}`,ma=e=>e.slow_1_5x+e.slow_2x+e.slow_3x,Tf=(e,t)=>t.steps?jt(e/t.steps):"\u2013",ga=e=>[e.engine,e.model].filter(Boolean).
join(" "),Af={s:e=>R(e*1e9),bytes:De},Cf=e=>e.interval_mean!==null||e.interval_p95!==null||e.unit==="s"&&!e.name.endsWith(".total"),Mo=(e,t)=>e==null?"\u2013":Af[t]?.(
e)??jt(e),$f=[{head:"Workload",text:e=>`${e.process??"?"} ${e.pid}, ${e.phase}`,sort:e=>e.pid},{head:"Serves",text:ga},{head:"Steps",number:!0,text:e=>H(e.steps),
sort:e=>e.steps},{head:"Slow",number:!0,text:e=>H(ma(e)),sort:ma,title:"1.5 times the 95th percentile and more"},{head:"3x",number:!0,text:e=>H(e.slow_3x),sort:e=>e.
slow_3x},{head:"Usual",number:!0,text:e=>R(e.mean_ns),sort:e=>e.mean_ns,title:"Mean of healthy steps"},{head:"p95",number:!0,text:e=>R(e.p95_ns),sort:e=>e.p95_ns,
title:"Of healthy steps"},{head:"Longest",number:!0,text:e=>R(e.max_ns),sort:e=>e.max_ns},{head:"Launches a step",number:!0,text:e=>Tf(e.launches+e.graph_launches,
e),title:"Launches of graphs count as one each"},{head:"Copied a step",number:!0,text:e=>e.steps?De(Math.round(e.copied_bytes/e.steps)):"\u2013"},{head:"Idle",number:!0,
text:e=>R(e.idle_ns),sort:e=>e.idle_ns,title:"Pauses that are part of no step"},{head:"Began over",number:!0,text:e=>e.relearned?H(e.relearned):"",title:"Times \
that what is usual changed for good"}];function pa(e){let[t,n]=[BigInt(e.start_wall_ns),BigInt(e.duration_ns)];return{view:"timeline",from:un(t-n/2n),to:un(t+3n*
n/2n)}}var Lf=e=>[{head:"At",number:!0,node:t=>y("a",{href:Ct(pa(t))},R(Number(BigInt(t.start_wall_ns)-e.origin))),sort:t=>Number(t.start_wall_ns)},{head:"Threa\
d",text:t=>`${t.pid}/${t.tid}`},{head:"Phase",text:t=>t.phase},{head:"Class",text:t=>t.slow,sort:t=>parseFloat(t.slow)},{head:"Took",number:!0,text:t=>R(t.duration_ns),
sort:t=>t.duration_ns},{head:"p95 then",number:!0,text:t=>R(t.baseline_p95_ns)},{head:"Waited",number:!0,text:t=>R(t.wait_ns),sort:t=>t.wait_ns},{head:"Launches",
number:!0,text:t=>H(t.launches+t.graph_launches)},{head:"Cause",node:t=>t.incident?y("a",{href:Ct({...pa(t),chosen:{chain:t.incident}})},t.incident):"none found"}];
async function Nf(e,t){let n=t.stream===null?"NULL":t.stream,l=el("timestamp",i=>String(Re(i))),s=await At(`SELECT timestamp - ${e.origin} AS at, duration_ns, b\
aseline_p95_ns FROM inference_steps
    WHERE pid = ${t.pid} AND stream IS ${n} AND phase = '${t.phase.replaceAll("'","''")}' AND ${l} ORDER BY timestamp`,1e4,e.signal);return s.length?pn({label:"\
Steps over time",times:s.map(i=>i.at),text:R,timeText:R,series:[{name:"Step",values:s.map(i=>i.duration_ns)},{name:"Usual, p95",values:s.map(i=>i.baseline_p95_ns)}]}):
null}async function Df(e,t){let n=await me("get_inference",ze(),t.signal);if(!n.workloads.length&&!n.engines.length)return e.append(G("Inference",we("No step of\
 inference is known: the recording was made without --inference, or no program served a model."),Ce(n))),()=>{};let l=n.workloads.find(i=>ko(i)===F.chosen.workload),
s=null;return l&&(s=await Nf(t,l),e.append(G(`${l.process??"?"} ${l.pid}, ${l.phase}`,s??we("It made no step in this part.")))),e.append(G("Workloads, in the wh\
ole recording",n.workloads.length?ie({caption:"Workloads; choose one to see its steps over time",rows:n.workloads,columns:$f,key:ko,chosen:F.chosen.workload??null,
choose:i=>tt({workload:ko(i)},!1)}):we("No step ended.")),G("Slow steps",n.slow_steps.length?ie({caption:"Slow steps, the worst first",rows:n.slow_steps,columns:Lf(
t)}):we("No step of this part was slow.")),G("What engines said last",n.engines.length?ie({caption:"Metrics of engines",rows:n.engines,columns:[{head:"Metric",text:i=>i.
name,sort:i=>i.name},{head:"Engine",text:i=>`${ga(i)} (${i.pid})`},{head:"Value",number:!0,text:i=>Cf(i)?`${H(i.value)} times`:Mo(i.value,i.unit),title:"Of a hi\
stogram: how often it observed"},{head:"Mean",number:!0,text:i=>Mo(i.interval_mean,i.unit),title:"Since the reading before"},{head:"p95",number:!0,text:i=>Mo(i.
interval_p95,i.unit),title:"Since the reading before"},{head:"Unit",text:i=>i.unit}]}):we("No engine was found, or none showed its metrics."))),n.cut.length&&e.
append(Ce(n)),()=>s?.close()}var wa={name:"inference",title:"Inference",draw:Df};var ba=8,ya=e=>`${e.frames?.find(t=>t.startsWith("[Python]"))??e.frames?.[1]??e.frames?.[0]??e.op} (${e.pid})`;async function Pf(e,t){let n=await me("get_memory",
{...ze(),limit:100,bins:300},t.signal),{totals:l,sites:s,over_time:i}=n;if(!s.length)return e.append(G("Memory",we("No call of this part obtained memory."),Ce(n))),
()=>{};e.append(G("Memory",$t([["Held at the end",De(l.held_bytes)],["Held at most",De(l.peak_bytes)],["Allocations held",H(l.held_allocations)],["Freed, but ob\
tained before",H(l.frees_of_unseen)],["Of unknown address",l.address_unknown?H(l.address_unknown):null]]),Ce(n)));let c=null;if(i){let r=Number(Re(i.from)-t.origin),
u=i.total_bytes.map((g,E)=>r+E*i.bin_ns),d=i.site_bytes.slice(0,ba),w=d.map((g,E)=>({name:ya(s[E]),values:g})),p=i.total_bytes.map((g,E)=>Math.max(0,g-d.reduce(
(S,C)=>S+C[E],0)));p.some(g=>g>0)&&w.push({name:"others",values:p}),c=pn({label:"Bytes held by call site",times:u,series:w,stacked:!0,text:De,timeText:R,height:280}),
e.append(G("Held over time, by call site",c,y("p",{class:"quiet"},"The most held in each part; what the program held before the recording is not seen.")))}e.append(
G("Call sites",ie({caption:"Call sites",rows:s.map((r,u)=>({...r,i:u})),columns:[{head:"Where",node:r=>y("span",{},y("i",{class:"dot","data-ink":r.i<ba?r.i:""}),
ya(r))},{head:"Call",text:r=>r.op,sort:r=>r.op},{head:"Held",number:!0,text:r=>De(r.held_bytes),sort:r=>r.held_bytes},{head:"At most",number:!0,text:r=>De(r.peak_bytes),
sort:r=>r.peak_bytes},{head:"Obtained",number:!0,text:r=>De(r.bytes),sort:r=>r.bytes},{head:"Given back",number:!0,text:r=>De(r.freed_bytes),sort:r=>r.freed_bytes},
{head:"Calls",number:!0,text:r=>H(r.calls),sort:r=>r.calls},{head:"Failed",number:!0,text:r=>r.failed?H(r.failed):"",sort:r=>r.failed}]})));for(let r of e.querySelectorAll(
"[data-ink]"))r.dataset.ink!==""&&(r.style.background=cs(Number(r.dataset.ink)));return()=>c?.close()}var xa={name:"memory",title:"Memory",draw:Pf};var _a=4;function Rf(e,t,n){let[l,s]=[120,18],i=y("canvas",{width:l*2,height:s*2,class:"spark",role:"img","aria-label":e?`most often about ${R(e.from_ns[e.counts.
indexOf(Math.max(...e.counts))])}`:"not known"});if(!e)return i;let c=i.getContext("2d");c.scale(2,2),c.fillStyle=_e(e.kind);let r=Math.max(...e.counts),u=d=>(Math.
log2(Math.max(d,1))-t)/(n-t)*(l-3);return e.from_ns.forEach((d,w)=>{let p=Math.max(1.5,Math.log1p(e.counts[w])/Math.log1p(r)*s);c.fillRect(u(d),s-p,Math.max(2,l/
((n-t)*_a)-.5),p)}),i}function Of(e,t,n){let l=_=>{let A=2**Math.floor(Math.log2(Math.max(_,1)));return _+Math.max(1,A/16)},[s,i]=[Math.log2(Math.max(e.from_ns[0],
1)),Math.log2(l(e.from_ns.at(-1)))],c=Math.max(...e.counts),r=160,u=y("canvas",{class:"distribution",role:"img","aria-label":`Distribution of ${e.op}`}),d=0,w=null,
p=null,g=_=>(Math.log2(Math.max(_,1))-s)/Math.max(i-s,.01)*d,E=_=>2**(s+_/d*(i-s));function S(){let _=devicePixelRatio||1;d=u.clientWidth,u.width=d*_,u.height=r*
_;let A=u.getContext("2d");A.scale(_,_);let k=p??(t?[g(t[0]),g(t[1])]:null);k&&(A.fillStyle=_e("chosen"),A.fillRect(Math.min(...k),0,Math.abs(k[1]-k[0]),r-18)),
A.fillStyle=_e(e.kind),e.from_ns.forEach((L,Z)=>{let Y=Math.max(2,Math.log1p(e.counts[Z])/Math.log1p(c)*(r-24));A.fillRect(g(L),r-18-Y,Math.max(1,g(l(L))-g(L)-.5),
Y)}),A.fillStyle=_e("quiet"),A.font="11px system-ui, sans-serif";let J=i-s>5?[1]:i-s>2?[1,2,5]:[1,1.5,2,3,4,5,6,7,8,9];for(let L=0,Z=-60;L<12;L++)for(let Y of J){
let X=g(Y*10**L);X<Math.max(0,Z+60)||X>d-40||(A.fillText(R(Y*10**L),X,r-4),Z=X)}}u.addEventListener("pointerdown",_=>{w=_.offsetX,u.setPointerCapture(_.pointerId)}),
u.addEventListener("pointermove",_=>{w!==null&&(p=[w,_.offsetX],S())}),u.addEventListener("pointerup",_=>{let[A,k]=[w,_.offsetX].sort((J,L)=>J-L);w=p=null,n(k-A>
3?[Math.floor(E(Math.max(0,A))),Math.ceil(E(Math.min(d,k)))]:null)});let C=new ResizeObserver(S);C.observe(u);let x=(_,A,k)=>[y("label",{for:_},A),y("input",{id:_,
type:"number",min:"0",step:"any",value:k??""})],I=y("form",{class:"bar"},x("least","From \xB5s",t?t[0]/1e3:null),x("most","to \xB5s",t?t[1]/1e3:null),y("button",
{type:"submit"},"List these calls"),t?y("button",{type:"button",onclick:()=>n(null)},"All"):null);return I.addEventListener("submit",_=>{_.preventDefault();let[
A,k]=[I.querySelector("#least").value,I.querySelector("#most").value];n(A===""&&k===""?null:[Math.floor(Number(A||0)*1e3),Math.ceil(Number(k||1e12)*1e3)])}),{node:y(
"div",{},u,y("p",{class:"quiet"},"Calls by duration, both on logarithmic scales. Drag over a part to list its calls."),I),close:()=>C.disconnect()}}async function If(e,t,n){
let l=e.origin,s=el("timestamp",c=>String(Re(c))),i=await At(`SELECT seq, timestamp - ${l} AS start_ns, duration, pid, tid, comm, failed, bytes, kernel FROM eve\
nts
    WHERE call = '${t.call.replaceAll("'","''")}' AND ${s} ${n?`AND duration BETWEEN ${n[0]} AND ${n[1]}`:""}
    ORDER BY duration DESC`,50,e.signal);return i.length?ie({caption:`Calls of ${t.op}, longest first`,rows:i,most:50,columns:[{head:"Took",number:!0,text:c=>R(
c.duration),sort:c=>c.duration},{head:"At",number:!0,node:c=>y("a",{href:Ct({view:"timeline",from:un(l+BigInt(c.start_ns-Math.max(1e3,c.duration??0))),to:un(l+BigInt(
c.start_ns+2*Math.max(1e3,c.duration??0))),chosen:{call:c.seq}})},R(c.start_ns)),sort:c=>c.start_ns},{head:"Thread",text:c=>`${c.comm??""} ${c.pid}/${c.tid}`},{
head:"Bytes",number:!0,text:c=>De(c.bytes),sort:c=>c.bytes},{head:"Failed",text:c=>c.failed?"yes":""},{head:"Kernel",text:c=>c.kernel??""}]}):we("No call of thi\
s part took so long.")}async function Ff(e,t){let[n,l]=await Promise.all([me("get_trace_stats",ze(),t.signal),me("get_distributions",{...ze(),per_octave:_a},t.signal)]),
s=new Map(l.calls.map(x=>[x.call,x])),i=Math.min(10,...l.calls.map(x=>Math.log2(Math.max(x.from_ns[0],1)))),c=Math.max(11,...l.calls.map(x=>Math.log2(x.from_ns.
at(-1))+.5)),r=n.calls.reduce((x,I)=>x+(I.total_ns??0),0),u=[{head:"Call",text:x=>x.op,sort:x=>x.op},{head:"Layer",text:x=>x.layer,sort:x=>x.layer},{head:"Distr\
ibution",node:x=>Rf(s.get(x.call),i,c)},{head:"Count",number:!0,text:x=>H(x.count),sort:x=>x.count},{head:"Total",number:!0,text:x=>R(x.total_ns),sort:x=>x.total_ns},
{head:"Share",number:!0,text:x=>x.kind==="host"?"":xl(x.total_ns/r),title:"Of all calls' time; a call made inside another is in both"},{head:"p50",number:!0,text:x=>R(
x.p50_ns),sort:x=>x.p50_ns},{head:"p95",number:!0,text:x=>R(x.p95_ns),sort:x=>x.p95_ns},{head:"p99",number:!0,text:x=>R(x.p99_ns),sort:x=>x.p99_ns},{head:"Longe\
st",number:!0,text:x=>R(x.max_ns),sort:x=>x.max_ns},{head:"Errors",number:!0,text:x=>x.errors?H(x.errors):"",sort:x=>x.errors},{head:"Bytes",number:!0,text:x=>x.
bytes===null?"":De(x.bytes),sort:x=>x.bytes},{head:"Off CPU",number:!0,text:x=>x.off_cpu?xl(Object.values(x.off_cpu).reduce((I,_)=>I+_,0)/x.total_ns):"",title:"\
Part of the time that the calling threads were off the CPU"}],d=F.chosen.op??null,w=x=>tt({op:x.call,least:null,most:null},!1);e.append(G("Calls",n.calls.length?
ie({caption:"Calls",rows:n.calls,columns:u,sorted:4,choose:w,key:x=>x.call,chosen:d}):we("No call was recorded in this part.")),...n.host.length?[G("What the ho\
st did",ie({caption:"Host events",rows:n.host,columns:u.filter(({head:x})=>x!=="Off CPU"&&x!=="Share"),choose:w,key:x=>x.call,chosen:d}))]:[]);for(let x of[n,l])
x.cut.length&&e.append(Ce(x));if(!d)return()=>{};let p=await me("get_distributions",{...ze(),op:d,per_octave:16},t.signal),g=p.calls.find(x=>x.call===d)??p.calls[0];
if(!g)return e.prepend(G(d,we("It was not called in this part, or has no durations."))),()=>{};let E=F.chosen.least?[Number(F.chosen.least),Number(F.chosen.most)]:
null,S=Of(g,E,x=>tt({least:x?.[0]??null,most:x?.[1]??null},!1)),C=[...n.calls,...n.host].find(x=>x.call===g.call);return e.prepend(G(g.op,$t([["Count",H(g.count)],
["p50",R(C?.p50_ns)],["p99",R(C?.p99_ns)],["Longest",R(C?.max_ns)],["Library's name",g.call]]),S.node,await If(t,g,E))),S.close}var va={name:"operations",title:"\
Operations",draw:Ff};var ka=e=>y("span",{class:`severity ${String(e).toLowerCase()}`},e);function Wf(e){return e?.length?y("details",{},y("summary",{},`Where it happened: ${e[0]}`),
y("ol",{class:"frames"},e.map(t=>y("li",{},t)))):null}var Bf=/\d\s?(?:ns|[uµ]s|ms|s|min|h)\b/;function Sa(e,t){let n=[e.lost_ns&&!Bf.test(e.summary)&&`${R(e.lost_ns)}\
 lost`,e.rank!==null&&e.rank!==void 0&&`rank ${e.rank}`,e.op,e.onset&&`from ${En(e.onset)}`,e.node];return y("article",{class:"chain"},y(t?"h3":"h4",{},ka(e.severity),
" ",e.summary),e.explanation?y("p",{},e.explanation):null,y("p",{class:"quiet"},n.filter(Boolean).join(" \xB7 ")),e.recommendations?.length?y("ul",{class:"remed\
ies","aria-label":"Remedies"},e.recommendations.map(l=>y("li",{},l))):null,y("details",{},y("summary",{},"What was measured"),y("p",{},e.root_cause),e.timeline?.
length?y("ol",{},e.timeline.map(l=>y("li",{},y("b",{},l.layer),` ${l.detail}`))):null),Wf(e.stack),e.onset&&e.end?y("p",{},y("a",{href:Ct({view:"timeline",from:e.
onset,to:e.end,chosen:{chain:e.id}})},"Show it on the timeline")):null)}function zf(e,t){let[n,...l]=e.chains,s=e.earlier_chains??[];return G("The cause",n?Sa(n,
!0):we(t.live?"No cause has been found so far.":"Nothing is wrong that the rules know of."),l.length?y("details",{},y("summary",{},`${l.length} more`),l.map(i=>Sa(
i,!1))):null,s.length?y("details",{},y("summary",{},`${s.length} chains that the legacy agent stored`),y("ul",{},s.map(i=>y("li",{},ka(i.severity),` ${i.summary}\
: ${i.verdict}`)))):null,Ce(e))}var Vf=e=>e.calls.length?G("Calls that have not returned",ie({caption:"Calls in flight, longest first",rows:e.calls,columns:[{head:"\
Call",text:t=>t.call},{head:"Thread",text:t=>`${t.process??""} ${t.pid}/${t.tid}`},{head:"For",text:t=>R(t.duration_ns),number:!0}]})):"";function Hf(e){let t=e.
calls.slice(0,8);return G("Where the calls' time went",t.length?ie({caption:"Calls by total time",rows:t,columns:[{head:"Call",node:n=>y("a",{href:Ct({view:"ope\
rations",chosen:{op:n.call}})},n.op)},{head:"Count",text:n=>H(n.count),number:!0},{head:"Total",text:n=>R(n.total_ns),number:!0},{head:"p50",text:n=>R(n.p50_ns),
number:!0},{head:"p99",text:n=>R(n.p99_ns),number:!0},{head:"Longest",text:n=>R(n.max_ns),number:!0}]}):we("No call was recorded in this part."))}var qf=e=>G("P\
rocesses",ie({caption:"Processes",rows:e.processes,most:20,columns:[{head:"Process",text:t=>`${t.process??"?"} ${t.pid}`},{head:"Calls",text:t=>H(t.calls),number:!0},
{head:"Errors",text:t=>H(t.errors),number:!0},{head:"Host events",text:t=>H(t.host_events),number:!0},{head:"Longest call",text:t=>R(t.calls?t.max_ns:null),number:!0}]})),
Uf=(e,t)=>G("The recording",$t([["File",t.file],["Schema",t.schema],["Events in this part",H(e.events)],["First",e.first],["Last",e.last],["Rows pruned",e.rows_pruned?
H(e.rows_pruned):null],["Lost",e.lost===null?"not known: the legacy agent did not count it":e.lost.some(n=>n.severity!=="info")?y("a",{href:Ct({view:"health"})},
"something was: see Capture"):"nothing"]]),Ce(e));async function Yf(e,{info:t,signal:n,show:l}){let[s,i,...c]=["The cause",null,"Where the calls' time went","Pr\
ocesses","The recording"].map(u=>e.appendChild(u?G(u,qs()):y("div",{hidden:!0})));l();async function r(u,d,w){try{let p=await d;w(p).forEach((g,E)=>u[E].replaceWith(
g))}catch(p){if(!(p instanceof Ft)||p.status<500)throw p;for(let g of u.filter(E=>!E.hidden))g.querySelector(".waiting").replaceWith(y("p",{role:"alert"},p.message))}}
await Promise.all([r([s],me("get_causal_chains",{...ze(),top_n:20},n),u=>[zf(u,t)]),r([i],me("get_calls_in_flight",{...ze(),limit:5},n),u=>[Vf(u)]),r(c,me("get_\
trace_stats",ze(),n),u=>[Hf(u),qf(u),Uf(u,t)])])}var Ma={name:"overview",title:"Overview",draw:Yf};var Dn=e=>e==null?"NULL":`'${String(e).replaceAll("'","''")}'`,Ao=()=>el("timestamp",e=>String(Re(e))),Eo=e=>e==="bytes"?De:t=>t==null?"\u2013":jt(t),Gf=["","do\
wn","initialising","armed","active","deferred"];async function Ea(e,t){let n=await At(t,1e4,e.signal);return{times:n.map(l=>l.at),values:n.map(l=>l.value)}}async function Kf(e,t){
let n=await me("get_fabric",ze(),t.signal),l=Ta(t);if(!n.known||!n.links.length&&!n.counters.length)e.append(G("Fabric",we("No adapter was sampled: there was no\
ne, or an earlier agent recorded this."),Ce(n)));else{e.append(G("Links",ie({caption:"Links",rows:n.links,columns:[{head:"Adapter",text:r=>`${r.device}, port ${r.
port}`},{head:"Layer",text:r=>r.link_layer??""},{head:"State",text:r=>Gf[r.state]??String(r.state??"\u2013")},{head:"Changes",number:!0,text:r=>H(r.changes)}]})));
let s=r=>`${r.device}|${r.port??""}|${r.origin}|${r.name}`,i=n.counters.find(r=>s(r)===F.chosen.counter),c=null;if(i){let r=await Ea(t,`SELECT timestamp - ${t.origin}\
 AS at, value FROM fabric_samples WHERE device = ${Dn(i.device)} AND name = ${Dn(i.name)}
        AND origin = ${Dn(i.origin)} AND port IS ${i.port??"NULL"} AND ${Ao()} ORDER BY timestamp`);c=pn({label:i.name,times:r.times,series:[{name:i.name,values:r.
values}],text:Eo(i.unit),timeText:R}),e.append(G(`${i.device}: ${i.name}`,c))}return e.append(G("Counters",ie({caption:"Counters; choose one to see it over time",
rows:n.counters,sorted:3,key:s,chosen:F.chosen.counter??null,choose:r=>tt({counter:s(r)},!1),columns:[{head:"Counter",text:r=>r.name,sort:r=>r.name},{head:"Adap\
ter",text:r=>r.device,sort:r=>r.device},{head:"Port",text:r=>r.port??""},{head:"Grew by",number:!0,text:r=>Eo(r.unit)(r.grew_by),sort:r=>r.grew_by},{head:"Value",
number:!0,text:r=>Eo(r.unit)(r.value),sort:r=>r.value},{head:"Resets",number:!0,text:r=>r.resets?H(r.resets):""}]}),Ce(n))),c&&e.prepend(c.parentNode),To(c,await l,
e)}return To(null,await l,e)}var To=(e,t,n)=>(t&&n.append(t.card),()=>{e?.close(),t?.chart.close()});async function Ta(e){let t=await At(`SELECT timestamp - ${e.
origin} AS at, cpu_pct, mem_pct FROM system_snapshots WHERE ${Ao()} ORDER BY timestamp`,1e4,e.signal);if(t.length<2)return null;let n=pn({label:"The host",times:t.
map(l=>l.at),text:l=>l==null?"\u2013":`${Math.round(l)} %`,timeText:R,height:160,series:[{name:"CPU",values:t.map(l=>l.cpu_pct)},{name:"Memory",values:t.map(l=>l.
mem_pct)}]});return{chart:n,card:G("The host",n)}}async function jf(e,t){let n=await me("get_devices",ze(),t.signal),l=Ta(t);e.append(G("Devices",n.devices.length?
ie({caption:"Devices",rows:n.devices,columns:[{head:"Device",text:r=>r.name??"?"},{head:"Driver",text:r=>r.driver??"\u2013"},{head:"UUID",text:r=>r.uuid??"\u2013"},
{head:"PCI address",text:r=>r.pci_address??"\u2013"}]}):we("No device was seen."),n.known?null:we("The recording has no readings: an earlier agent made it."),Ce(
n)));let s=r=>`${r.uuid??r.pci_address}|${r.name}|${r.part}`,i=n.readings.find(r=>s(r)===F.chosen.reading),c=null;if(i){let r=await Ea(t,`SELECT timestamp - ${t.
origin} AS at, value FROM device_samples WHERE uuid IS ${Dn(i.uuid)} AND pci_address IS ${Dn(i.pci_address)}
      AND name = ${Dn(i.name)} AND part = ${Dn(i.part)} AND ${Ao()} ORDER BY timestamp`);c=pn({label:i.name,times:r.times,series:[{name:i.name,values:r.values}],
text:jt,timeText:R}),e.append(G(i.name.replaceAll("_"," "),c))}return n.readings.length&&e.append(G("Readings",ie({caption:"Readings; choose one to see it over \
time",rows:n.readings,key:s,chosen:F.chosen.reading??null,choose:r=>tt({reading:s(r)},!1),columns:[{head:"Reading",text:r=>`${r.name.replaceAll("_"," ")}${r.part?
` (${r.part})`:""}`,sort:r=>r.name},{head:"Device",text:r=>r.uuid??r.pci_address??"?",sort:r=>r.uuid},{head:"Last",number:!0,text:r=>r.last===null?"\u2013":jt(r.
last)},{head:"Least",number:!0,text:r=>jt(r.min)},{head:"Average",number:!0,text:r=>jt(r.avg)},{head:"Most",number:!0,text:r=>jt(r.max)},{head:"Samples",number:!0,
text:r=>H(r.samples)}]}))),n.processes.length&&e.append(G("Memory by process",ie({caption:"Memory by process",rows:n.processes,columns:[{head:"Process",text:r=>r.
pid},{head:"Device",text:r=>r.device},{head:"Memory",number:!0,text:r=>De(r.memory_bytes)}]}))),n.errors.length&&e.append(G("Errors of drivers",ie({caption:"Err\
ors of drivers",rows:n.errors,columns:[{head:"Kind",text:r=>`${r.kind} ${r.code??""}`},{head:"Meaning",text:r=>r.meaning??""},{head:"Process",text:r=>r.process??
""},{head:"Message",text:r=>r.message}]}))),To(c,await l,e)}var Aa={name:"fabric",title:"Fabric",draw:Kf},Ca={name:"devices",title:"Devices",draw:jf};var $a=.5,us=class{constructor(t,n){this.context=t,this.onNews=n,this.lanes=[],this.views=new Map,this.cut=[],this.abort=null}text(t){return un(this.context.origin+
BigInt(Math.round(t)))}async want(t,n,l,s){let i=n-t,c={from:Math.max(-1e9,t-$a*i),to:n+$a*i},r=l.filter(w=>{let p=this.views.get(w);return!p||p.asked.from>t||p.
asked.to<n?!0:p.bins.length>0&&p.asked.to-p.asked.from>3*i});if(this.lanes.length&&r.length===0||this.abort)return;let u=new AbortController;this.abort=u;let d=await me(
"get_timeline",{from:this.text(c.from),to:this.text(c.to),bins:Math.min(1e3,Math.max(50,Math.round(s))),...l.length?{lanes:l.slice(0,48)}:{}},u.signal).finally(
()=>{this.abort=null});this.take(d,c),this.onNews()}take(t,n){this.lanes=t.lanes,this.cut=t.cut;let l=t.from?Number(Re(t.from)-this.context.origin):0;for(let s of t.
views){let i=new Set(s.failed);this.views.set(s.lane,{asked:n,from:l,binNs:s.bins.length?t.bin_ns:0,bins:s.bins,ops:t.ops,slices:s.start_ns.map((c,r)=>({start:l+
c,duration:s.duration_ns[r],op:t.ops[s.op[r]],depth:s.depth[r],seq:s.seq[r],failed:i.has(s.seq[r])}))})}}forget(){this.views.clear()}};var La=100,nn=(e,t,n)=>Math.min(n,Math.max(t,e));function Co(e){return e.group==="thread"?`thread ${e.tid}`:e.group==="stream"?e.stream===0?"default stream":`st\
ream ${BigInt(e.stream).toString(16)}`:e.group==="rank"?e.rank===null?`rank unknown (pid ${e.pid})`:`rank ${e.rank}${e.nranks?` of ${e.nranks}`:""}`:e.op}var $o=e=>`${e.
process||"?"} ${e.pid}${e.node?` on ${e.node}`:""}`;function Jf(e,t){let n=[];t.length&&n.push({title:"Causes",chains:t});let l=null;for(let s of e){let i=s.group===
"rank"?"Collectives by rank":$o(s);i!==l&&n.push({heading:i}),l=i,n.push({lane:s,title:Co(s)})}return n}var Lo=class{constructor(t,n){this.context=n,this.data=new us(
n,()=>{this.arrange(),this.schedule()}),this.chains=[],this.lines=[],this.top=0,this.frames=[],this.canvas=y("canvas",{tabindex:"0",role:"application",id:"lanes",
"aria-roledescription":"timeline","aria-label":"Timeline. Arrow keys move, plus and minus zoom, comma and period choose calls; ? lists the keys.","aria-describe\
dby":"chosen-call"}),this.detail=y("div",{id:"chosen-call","aria-live":"polite"}),this.scroller=y("div",{class:"lanes"},this.canvas),this.where=y("span",{class:"\
quiet"});let l=(s,i,c)=>y("button",{onclick:i,title:c?`${s} (${c})`:s},s);this.cutList=y("div"),t.append(y("section",{class:"card"},y("h2",{},"Timeline"),y("div",
{class:"bar"},l("Closer",()=>this.zoom(.5),"+"),l("Farther",()=>this.zoom(2),"\u2212"),l("Earlier",()=>this.pan(-.3),"\u2190"),l("Later",()=>this.pan(.3),"\u2192"),
l("Whole",()=>this.whole(),"0"),this.where),this.scroller,this.legend(),this.cutList),G("The chosen call",this.detail)),this.listen()}legend(){return y("ul",{class:"\
legend","aria-label":"Colours"},["launch","memcpy","memset","alloc","free","sync","event","graph","collective","p2p","fabric","host"].map(n=>y("li",{},y("i",{class:`\
kind ${n}`}),n)))}async start(){let{context:t}=this,n=(i,c)=>i&&Re(i)!==null?Number(Re(i)-t.origin):c,l=Math.max(t.spanNs,1e3);this.from=n(F.from,-.01*l),this.to=
Math.max(this.from+La,n(F.to,1.01*l)),this.lane=F.chosen.lane??null,this.chosen=F.chosen.call?Number(F.chosen.call):null;let s=await me("get_causal_chains",{top_n:-1},
t.signal);this.chains=s.chains.filter(i=>i.onset&&Re(i.onset)!==null).map(i=>({...i,from:Number(Re(i.onset)-t.origin),to:i.end?Number(Re(i.end)-t.origin):t.spanNs})),
await this.data.want(this.from,this.to,[],800),this.cutList.replaceChildren(Ce(this.data)??""),this.chosen!==null?await this.describe():F.chosen.chain?this.describeChain(
this.chains.find(i=>i.id===F.chosen.chain)):this.detail.replaceChildren(y("p",{class:"quiet"},"None. Click one, or press comma or period on the timeline."))}arrange(){
this.lines=Jf(this.data.lanes,this.chains)}resize(){let t=this.scroller.clientWidth;if(!t)return;this.left=t<600?88:190,this.height=nn(xt+this.lines.length*Pe+6,
160,Math.max(260,innerHeight-330));let n=devicePixelRatio||1;this.canvas.width=Math.round(t*n),this.canvas.height=Math.round(this.height*n),this.canvas.style.height=
`${this.height}px`,this.width=t-this.left,this.ratio=n,this.schedule()}schedule(){this.due||this.closed||(this.due=requestAnimationFrame(()=>{this.due=0,this.draw()}))}draw(){
if(!this.width)return;if(nn(xt+this.lines.length*Pe+6,160,Math.max(260,innerHeight-330))!==this.height)return this.resize();let n=performance.now(),l=this.canvas.
getContext("2d");l.setTransform(this.ratio,0,0,this.ratio,0,0),l.fillStyle=_e("card"),l.fillRect(0,0,this.left+this.width,this.height);let s={from:this.from,to:this.
to,left:this.left,width:this.width,height:this.height,lane:this.lane,chosen:this.chosen,chain:F.chosen.chain};this.top=nn(this.top,0,Math.max(0,this.lines.length*
Pe-(this.height-xt))),ua(l,s),l.save(),l.beginPath(),l.rect(0,xt,this.left+this.width,this.height-xt),l.clip();let i=this.seen();l.save(),fa(l,i,this.data.views,
s),l.restore(),this.drawTitles(l,i),l.restore(),this.where.textContent=`${R(this.to-this.from)} from ${R(Math.max(0,this.from))} on`,this.frames.push(performance.
now()-n),this.frames.length>2e3&&this.frames.splice(0,1e3),this.canvas.frames=this.frames,this.ask()}seen(){let t=Math.floor(this.top/Pe);return this.lines.slice(
t,t+Math.ceil((this.height-xt)/Pe)+1).map((n,l)=>({line:n,y:xt+(t+l)*Pe-this.top}))}drawTitles(t,n){t.textBaseline="middle";let l=this.left<120;for(let{line:s,y:i}of n){
t.font=`${s.heading?"600 ":""}${l?11:12}px system-ui, sans-serif`;let c=s.heading??s.title,r=s.heading?t.measureText(c).width+8:this.left;t.fillStyle=s.lane&&s.
lane.lane===this.lane?_e("chosen"):_e("card"),t.fillRect(0,i,r,Pe),t.fillStyle=s.heading?_e("ink"):_e("quiet");let u=s.heading||l?2:12;s.heading?t.fillText(c,u,
i+Pe/2):t.fillText(c,u,i+Pe/2,this.left-u-4)}}ask(){this.asking||(this.asking=setTimeout(async()=>{this.asking=0;let t=this.seen().map(({line:n})=>n.lane?.lane).
filter(Boolean).slice(0,48);if(t.length)try{await this.data.want(this.from,this.to,t,this.width)}catch(n){n.name!=="AbortError"&&this.context.say(n.message)}},60))}move(t,n){
let l=Math.max(this.context.spanNs,1e3),s=nn(n-t,La,1.5*l),i=nn((t+n)/2,-.2*l,1.2*l);this.from=i-s/2,this.to=i+s/2,this.schedule(),clearTimeout(this.noting),this.
noting=setTimeout(()=>{fn({from:this.data.text(this.from),to:this.data.text(this.to),chosen:this.selection()},!0),this.context.header()},250)}selection(){return{
lane:this.lane,call:this.chosen,chain:F.chosen.chain}}zoom(t,n=.5){let l=this.to-this.from,s=this.from+n*l;this.move(s-n*l*t,s+(1-n)*l*t)}pan(t){let n=t*(this.to-
this.from);this.move(this.from+n,this.to+n)}whole(){let t=Math.max(this.context.spanNs,1e3);this.move(-.01*t,1.01*t)}chooseLane(t){let n=this.lines.map((r,u)=>({
line:r,i:u})).filter(({line:r})=>r.lane);if(!n.length)return;let l=n.findIndex(({line:r})=>r.lane.lane===this.lane),s=n[nn(l<0?0:l+t,0,n.length-1)];this.lane=s.
line.lane.lane;let i=s.i*Pe,c=this.height-xt-Pe;this.top=nn(this.top,i-c,i),this.context.say(`${Co(s.line.lane)}, ${$o(s.line.lane)}, ${H(s.line.lane.events)} e\
vents`),tt(this.selection()),this.schedule()}chooseCall(t){this.lane||this.chooseLane(0);let n=this.data.views.get(this.lane)?.slices??[];if(!n.length){this.context.
say(this.data.views.get(this.lane)?.bins.length?"Too many calls to choose one here: zoom closer.":"No call here.");return}let l=n.findIndex(i=>i.seq===this.chosen),
s=l>=0?l+t:Math.max(0,n.findIndex(i=>i.start>=this.from));this.take(n[nn(s,0,n.length-1)])}take(t){if(this.chosen=t?.seq??null,t&&(t.start>this.to||t.start+(t.duration??
0)<this.from)){let n=(this.to-this.from)/2;this.move(t.start-n,t.start+n)}tt({...this.selection(),chain:null}),this.schedule(),this.describe()}async describe(){
let t=this.chosen;if(t!==null)try{let[n]=await At(`SELECT op_name, call, kind, layer, comm, pid, tid, duration, outcome, ret_code, failed, bytes, direction, str\
eam, kernel, gpu_id,
        library, parent_call, preempted_ns, runqueue_ns, blocked_ns, io_ns, culprit_comm, culprit_pid, culprit_ns FROM events WHERE seq = ${Number(t)}`,1);if(t!==
this.chosen||!n)return;let l=[["preempted",n.preempted_ns],["waiting for a CPU",n.runqueue_ns],["blocked",n.blocked_ns],["on I/O",n.io_ns]];this.detail.replaceChildren(
y("h3",{},n.op_name),$t([["Took",R(n.duration)],["Call",n.call],["Process",`${n.comm??"?"} ${n.pid}`],["Thread",n.tid],["Outcome",n.failed?`${n.outcome}, failed\
 (${n.ret_code})`:n.outcome],["Bytes",n.bytes===null?null:De(n.bytes)],["Direction",n.direction],["Stream",n.stream===null?null:`0x${BigInt.asUintN(64,BigInt(n.
stream)).toString(16)}`],["Kernel",n.kernel],["Device",n.gpu_id],["Library",n.library],["Made inside",n.parent_call],["Off the CPU",l.filter(([,s])=>s).map(([s,
i])=>`${R(i)} ${s}`).join(", ")],["Meanwhile ran",n.culprit_comm?`${n.culprit_comm} ${n.culprit_pid}, ${R(n.culprit_ns)}`:null]]))}catch(n){n.name!=="AbortError"&&
this.context.say(n.message)}}describeChain(t){t&&this.detail.replaceChildren(y("h3",{},`${t.severity}: ${t.summary}`),y("p",{},t.root_cause),y("p",{class:"quiet"},
`from ${En(t.onset)} to ${En(t.end)}`))}at(t){let n=this.canvas.getBoundingClientRect(),[l,s]=[t.clientX-n.left,t.clientY-n.top],i=nn((l-this.left)/this.width,0,
1);return{x:l,y:s,part:i,time:this.from+i*(this.to-this.from),line:this.lines[Math.floor((s-xt+this.top)/Pe)]}}click(t){let{line:n,time:l}=this.at(t);if(n?.chains){
let c=4*(this.to-this.from)/this.width,r=n.chains.find(u=>u.from-c<=l&&l<=u.to+c);r&&(this.chosen=null,tt({...this.selection(),chain:r.id}),this.describeChain(r),
this.schedule());return}if(!n?.lane)return;this.lane=n.lane.lane;let s=3*(this.to-this.from)/this.width,i=null;for(let c of this.data.views.get(this.lane)?.slices??
[]){if(c.start-s>l)break;c.start+(c.duration??1/0)+s>=l&&(!i||c.depth>=i.depth)&&(i=c)}i?this.take(i):(tt(this.selection()),this.context.say(`${Co(n.lane)}, ${$o(
n.lane)}`),this.schedule())}listen(){let{canvas:t}=this;t.addEventListener("wheel",l=>{l.preventDefault(),l.ctrlKey||l.metaKey?this.zoom(Math.exp(l.deltaY/300),
this.at(l).part):l.shiftKey||Math.abs(l.deltaX)>Math.abs(l.deltaY)?this.pan((l.deltaX||l.deltaY)/this.width):this.lines.length*Pe>this.height-xt?(this.top+=l.deltaY,
this.schedule()):scrollBy(0,l.deltaY)},{passive:!1});let n=null;t.addEventListener("pointerdown",l=>{n={x:l.clientX,y:l.clientY,from:this.from,to:this.to,top:this.
top,moved:!1},t.setPointerCapture(l.pointerId)}),t.addEventListener("pointermove",l=>{if(!n)return;let[s,i]=[l.clientX-n.x,l.clientY-n.y];if(!n.moved&&Math.hypot(
s,i)<4)return;n.moved=!0;let c=-(s/this.width)*(n.to-n.from);this.top=n.top-i,this.move(n.from+c,n.to+c)}),t.addEventListener("pointerup",l=>{n&&!n.moved&&this.
click(l),n=null}),t.addEventListener("pointercancel",()=>{n=null}),t.addEventListener("keydown",l=>this.key(l)),this.observer=new ResizeObserver(()=>this.resize()),
this.observer.observe(this.scroller),this.scheme=matchMedia("(prefers-color-scheme: dark)"),this.onScheme=()=>{So(),this.schedule()},this.scheme.addEventListener(
"change",this.onScheme)}key(t){if(t.altKey||t.metaKey)return;let n=()=>(this.data.views.get(this.lane)?.slices??[]).find(s=>s.seq===this.chosen),l={ArrowLeft:()=>this.
pan(t.shiftKey?-.5:-.1),ArrowRight:()=>this.pan(t.shiftKey?.5:.1),ArrowUp:()=>t.ctrlKey?this.zoom(.7):this.chooseLane(-1),ArrowDown:()=>t.ctrlKey?this.zoom(1.4):
this.chooseLane(1),"+":()=>this.zoom(.6),"=":()=>this.zoom(.6),"-":()=>this.zoom(1.6),",":()=>this.chooseCall(-1),".":()=>this.chooseCall(1),0:()=>this.whole(),
Home:()=>this.move(0,this.to-this.from),End:()=>this.move(this.context.spanNs-(this.to-this.from),this.context.spanNs),Enter:()=>{let s=n();s&&this.move(s.start-
.2*Math.max(s.duration??0,1e3),s.start+1.2*Math.max(s.duration??0,1e3))}};l[t.key]&&(t.preventDefault(),t.stopPropagation(),l[t.key]())}close(){this.closed=!0,cancelAnimationFrame(
this.due),clearTimeout(this.asking),clearTimeout(this.noting),this.data.abort?.abort(),this.observer.disconnect(),this.scheme.removeEventListener("change",this.
onScheme)}},at=null;async function Zf(e,t){So();let n=new Lo(e,t);try{await n.start()}catch(l){throw n.close(),l}return n.arrange(),at=n,()=>n.close()}async function Qf(e){
if(!at||at.closed)return;let t=at.to>=at.context.spanNs;if(at.context.spanNs=e.spanNs,at.data.forget(),!F.from&&!F.to)at.from=-.01*e.spanNs,at.to=1.01*e.spanNs;else if(t&&
at.to<e.spanNs){let n=at.to-at.from;at.from=e.spanNs-n,at.to=e.spanNs+.01*n}at.schedule()}var Na={name:"timeline",title:"Timeline",draw:Zf,refresh:Qf};var $l=[Ma,va,Na,Oi,xa,Pi,wa,Aa,Ca,Ii],Xf=2e3,Da="a,button,input,select,summary,[tabindex]",Oe=document.getElementById("main"),Ll=document.getElementById("notic\
e"),eh=document.getElementById("status"),Je={info:null,origin:0n,spanNs:0,say:e=>{eh.textContent=e},header:()=>Pn()},_t=null,hs=!0,th=new Yl($l,()=>{hs=!hs,Pn()}),
Pn=()=>th.draw(Je,hs),Nl=()=>$l.find(e=>e.name===F.view)??$l[0],Pa=(e,t)=>e.file===t.file&&e.schema===t.schema&&e.legacy===t.legacy;async function nh(){let e=await me(
"get_trace_stats"),{file:t,live:n,earlier_agent:l,schema:s}=e.recording,i=Je.info;return Je.info={file:t,live:n,legacy:l,schema:s,first:e.first,last:e.last,events:e.
events},Je.origin=Re(e.first)??0n,Je.spanNs=e.last?Number(Re(e.last)-Je.origin):0,!i||Pa(i,Je.info)&&(i.first??e.first)===e.first}wi(e=>{let{info:t}=Je;if(!(!t||
Pa(t,{...e,legacy:e.earlier_agent})&&(t.live||!e.live)))throw lh(),new DOMException("the server has another recording now","AbortError")});function ds(){_t?.abort.
abort(),_t?.close?.(),_t=null}function lh(){ds(),Je.info=null,Pn(),Dl(Nl()),Po()}function Dl(e){Ll.hidden=!0,Je.say(""),Oe.replaceChildren(Li(e.title)),Oe.setAttribute(
"aria-busy","true"),Hs()}async function Ra(e=!1){let t=Nl(),n=_t,l={view:t,part:`${F.from} ${F.to}`,abort:new AbortController},s=n!==null&&n.view===t&&(e||n.part===
l.part);n?.abort.abort(),s||ds(),_t=l,Pn(),s?e||(Oe.setAttribute("aria-busy","true"),Hs()):Dl(t);let i=y("div",{class:`view ${t.name}`,id:"view",role:"tabpanel",
"aria-labelledby":`tab-${t.name}`}),c=()=>{_t===l&&!s&&Oe.replaceChildren(i)};try{if(l.close=await t.draw(i,{...Je,signal:l.abort.signal,show:c}),_t!==l){l.close?.();
return}Ll.hidden=!0}catch(r){if(_t!==l||r.name==="AbortError")return;if(r instanceof Ft&&r.status===401)return Ro(r.message);i.replaceChildren(),Do(r)}s&&n.close?.(),
Oe.contains(i)||sh(i,s),Oe.removeAttribute("aria-busy"),Gl()}var fs=e=>`${e.tagName} ${e.id} ${e.getAttribute("aria-label")??e.textContent}`;function sh(e,t){let n=document.
activeElement,[l,s]=Oe.contains(n)?[[...Oe.querySelectorAll(Da)].indexOf(n),fs(n)]:[-1,""],i=[scrollX,scrollY],c=new Set([...Oe.querySelectorAll("details[open] \
> summary")].map(fs));if(Oe.replaceChildren(e),!t)return;for(let u of Oe.querySelectorAll("details > summary"))c.has(fs(u))&&(u.parentNode.open=!0);let r=[...Oe.
querySelectorAll(Da)];l>=0&&(r.find(u=>fs(u)===s)??r[l])?.focus({preventScroll:!0}),scrollTo(...i)}function Do(e){Ll.textContent=e instanceof Ft?e.message:`This\
 page failed: ${e.message}`,Ll.hidden=!1,e instanceof Ft||console.error(e)}var oh=()=>Oe.hasAttribute("aria-busy")||Oe.querySelector(":active, input:focus, sele\
ct:focus")!==null,No=0;async function Po(){let e=++No,t=!Je.info||Je.info.live&&hs&&!document.hidden;try{if(t){let n=!Je.info,l=await nh();if(e!==No)return;Ll.hidden=
!0,l||ds(),_t?.view.refresh&&!n?(Pn(),await _t.view.refresh(Je)):(!_t||!oh())&&await Ra(_t!==null)}}catch(n){if(n.name==="AbortError")return;if(n.status===401)return Ro(
n.message);Je.info||(Oe.replaceChildren(),Oe.removeAttribute("aria-busy"),Gl()),Do(n)}setTimeout(()=>e===No&&Po(),Xf)}async function Ro(e){ds(),Je.info=null,Dl(
Nl());try{(e!==void 0||await yi())&&(Oe.removeAttribute("aria-busy"),Gl(),await xi(Oe,e??""),document.activeElement?.blur(),Dl(Nl()))}catch(t){Do(t)}Po()}addEventListener(
"keydown",e=>Ei(e,$l,_t?.view));document.getElementById("skip").addEventListener("click",e=>{e.preventDefault(),Oe.focus()});vi(()=>{if(Je.info)return Ra().then(
()=>{document.activeElement===document.body&&Oe.focus({preventScroll:!0})});Pn(),Oe.hasAttribute("aria-busy")&&Dl(Nl())});Si();Mi($l);Pn();Ro();
