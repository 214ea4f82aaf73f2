// Made by serve/page/build.mjs from serve/page/source/: change those.
function x(e,t={},...l){let n=document.createElement(e);for(let[s,i]of Object.entries(t))i==null||i===!1||(s.startsWith("on")?n.addEventListener(s.slice(2),i):n.
setAttribute(s,i===!0?"":String(i)));for(let s of l.flat())s==null||s===!1||n.append(s instanceof Node?s:document.createTextNode(String(s)));return n}var xl="\u2013",
ql=e=>e!=null;function hi(e){let t=Math.abs(e);return t>=100?e.toFixed(0):t>=10?e.toFixed(1):e.toFixed(2)}var dc=[["s",1e9],["ms",1e6],["\xB5s",1e3]];function P(e){
if(!ql(e))return xl;let t=Math.abs(e);if(t===0)return"0";if(t>=36e11)return`${(e/36e11).toFixed(1)} h`;if(t>=12e10)return`${(e/6e10).toFixed(1)} min`;for(let[l,
n]of dc)if(t>=n)return`${hi(e/n)} ${l}`;return`${Math.round(e)} ns`}function Le(e){if(!ql(e))return xl;for(let[t,l]of[["TB",1e12],["GB",1e9],["MB",1e6],["kB",1e3]])
if(Math.abs(e)>=l)return`${hi(e/l)} ${t}`;return`${e} B`}function V(e){return ql(e)?Number(e).toLocaleString("en"):xl}function jt(e){for(let[t,l]of[["T",1e12],[
"G",1e9],["M",1e6],["k",1e3]])if(Math.abs(e)>=l)return`${+(e/l).toPrecision(3)}${t}`;return String(+e.toPrecision(3))}function yl(e){return ql(e)&&Number.isFinite(
e)?`${(100*e).toFixed(e<.1?1:0)} %`:xl}function Re(e){let t=/^(.*?)(?:\.(\d{1,9}))?Z$/.exec(e??""),l=t?Date.parse(`${t[1]}Z`):NaN;return Number.isNaN(l)?null:BigInt(
l)*1000000n+BigInt((t[2]??"").padEnd(9,"0"))}function un(e){let t=e/1000000000n;return`${new Date(Number(t)*1e3).toISOString().slice(0,19)}.${String(e-t*1000000000n).
padStart(9,"0")}Z`}function En(e){return e?e.slice(11,23).replace("Z",""):xl}var _l="ingero-token",Wt=class extends Error{constructor(t,l,n){super(n),this.status=t,this.word=l}},mc=/"(?:[^"\\]|\\.)*"|(?<![\d.])-?\d{16,}(?![\d.eE])/g,pc=e=>JSON.
parse(e.replace(mc,t=>t[0]==='"'||Number.isSafeInteger(Number(t))?t:`"${t}"`));async function di(e,t,l,n){let s=sessionStorage.getItem(_l),i=s?{Authorization:`B\
earer ${s}`}:{};l!==void 0&&(i["Content-Type"]="application/json");let c;try{c=await fetch(t,{method:e,headers:i,body:l,signal:n,credentials:"omit",cache:"no-st\
ore"})}catch(h){throw h.name==="AbortError"?h:new Wt(0,"gone","the server does not answer")}let r;try{r=pc(await c.text())}catch(h){if(h.name==="AbortError")throw h;
if(c.ok)throw new Wt(c.status,"internal",`the server's answer cannot be read: ${h.message}`);r={error:`status ${c.status}`,class:"internal"}}if(!c.ok)throw new Wt(
c.status,r.class,r.error);return r}var gc={get_trace_stats:"the figures of all calls",get_causal_chains:"the causes",get_calls_in_flight:"calls that have not re\
turned",get_distributions:"distributions",get_timeline:"the timeline",get_stacks:"stacks",get_memory:"memory by call site",get_collectives:"collectives",get_inference:"\
steps of inference",get_fabric:"counters of the fabric",get_devices:"readings of devices"},Is=new Set,Ws=[],mi=()=>{},pi=e=>Ws.push(e),gi=()=>[...new Set([...Is].
map(e=>e.about))],wi=e=>{mi=e};async function me(e,t={},l=void 0){let n={about:gc[e]??"rows"};Is.add(n);for(let s of Ws)s();try{let s=await di("POST",`/api/v1/t\
ools/${e}`,JSON.stringify(t),l);return l?.throwIfAborted(),s.recording&&mi(s.recording),s}finally{Is.delete(n);for(let s of Ws)s()}}var bi=e=>di("GET",e);async function At(e,t=1e3,l=void 0){
let n=await me("run_sql",{query:e,limit:t},l);return n.data.map(s=>Object.fromEntries(s.map((i,c)=>[n.columns[c],i])))}async function xi(){let{asks_token:e}=await bi(
"/page.json");return e&&!sessionStorage.getItem(_l)}function yi(e,t){return sessionStorage.removeItem(_l),new Promise(l=>{let n=x("input",{id:"token",type:"pass\
word",autocomplete:"off",spellcheck:"false",required:!0}),s=x("p",{role:"alert"},t),i=x("form",{class:"card login"},x("h2",{},"Token"),x("p",{},"The server was \
started with a token, and shows the recording to those who have it. It is kept in this tab only."),x("label",{for:"token"},"Bearer token"),n,x("button",{type:"s\
ubmit"},"Open"),s);i.addEventListener("submit",async c=>{c.preventDefault(),sessionStorage.setItem(_l,n.value);try{await bi("/api/v1/health"),l()}catch(r){sessionStorage.
removeItem(_l),s.textContent=r.status===401?"That is not the token.":r.message,n.select()}}),e.replaceChildren(i),n.focus()})}var W={view:"overview",from:null,to:null,chosen:{}},_i=[],vi=e=>_i.push(e);function Fs(){let[e,t=""]=location.hash.replace(/^#\/?/,"").split("?"),l=new URLSearchParams(
t);W.view=e||"overview",W.from=l.get("from"),W.to=l.get("to"),l.delete("from"),l.delete("to"),W.chosen=Object.fromEntries(l)}function Ct({view:e=W.view,from:t=W.
from,to:l=W.to,chosen:n={}}={}){let s=new URLSearchParams;t&&s.set("from",t),l&&s.set("to",l);for(let[c,r]of Object.entries(n))r!=null&&s.set(c,r);let i=s.toString();
return`#/${e}${i?`?${i}`:""}`}function fn(e,t=!1){let l=Ct(e);if(l!==location.hash){if(!t){location.hash=l;return}history.replaceState(null,"",l),Fs()}}var tt=(e,t=!0)=>fn(
{chosen:{...W.chosen,...e}},t),ze=()=>({...W.from&&{from:W.from},...W.to&&{to:W.to}});function el(e,t){let l=[];return W.from&&l.push(`${e} >= ${t(W.from)}`),W.
to&&l.push(`${e} <= ${t(W.to)}`),l.length?l.join(" AND "):"1"}function ki(){Fs(),addEventListener("hashchange",()=>{Fs();for(let e of _i)e()})}var Bs=e=>(e+1).toString(36),wc=[["1 to 9, a","the views, in their order"],["0","the whole recording"],["?","this list"],["Escape","closes it"]],bc=[["\u2190 \u2192",
"earlier, later"],["+ \u2212","closer, farther (also \u2191 \u2193 with Ctrl, or the wheel with Ctrl)"],["\u2191 \u2193","the lane above, below"],[", .","the pr\
evious, the next call of the lane"],["Enter","as close as the chosen call"],["Home End","the beginning, the end"]],Ul=document.getElementById("keys"),Si=(e,t)=>[
x("h3",{},e),x("dl",{class:"keys"},t.map(([l,n])=>x("div",{},x("dt",{},x("kbd",{},l)),x("dd",{},n))))];function Mi(){Ul.replaceChildren(x("h2",{id:"keys-title"},
"Keys"),...Si("Everywhere",wc),...Si("On the timeline",bc),x("button",{onclick:()=>Ul.close()},"Close"))}var xc=e=>e instanceof HTMLElement&&(e.isContentEditable||
/^(INPUT|SELECT|TEXTAREA)$/.test(e.tagName));function Ei(e,t){if(e.ctrlKey||e.metaKey||e.altKey||xc(e.target)||Ul.open)return;let l=t.findIndex((n,s)=>Bs(s)===e.
key);if(e.key==="?")Ul.showModal();else if(e.key==="0")fn({from:null,to:null});else if(l>=0)fn({view:t[l].name});else return;e.preventDefault()}var Ti={ArrowRight:1,ArrowDown:1,ArrowLeft:-1,ArrowUp:-1};function yc(e){let t=e.map((n,s)=>x("a",{role:"tab",id:`tab-${n.name}`,"aria-controls":"view","aria-ke\
yshortcuts":Bs(s)},n.title)),l=x("div",{role:"tablist",class:"tabs","aria-label":"Views"},t);return l.addEventListener("keydown",n=>{let s=t.indexOf(n.target);if(s<
0||n.ctrlKey||n.metaKey||n.altKey)return;let i={Home:0,End:t.length-1};if(n.key===" ")t[s].click();else if(n.key in Ti)t[(s+Ti[n.key]+t.length)%t.length].focus();else if(n.
key in i)t[i[n.key]].focus();else return;n.preventDefault()}),{links:t,list:l}}var Yl=class{constructor(t,l){this.views=t,this.text=x("span"),this.follow=x("but\
ton",{id:"follow",onclick:l}),this.part=x("span"),this.whole=x("button",{id:"whole",onclick:()=>fn({from:null,to:null,chosen:W.chosen})},"Whole recording");let{
links:n,list:s}=yc(t);this.links=n,document.getElementById("recording").append(this.text," ",this.follow),document.getElementById("views").append(s),document.getElementById(
"part").append(this.part," ",this.whole)}draw({info:t,origin:l,spanNs:n},s){let i=this.views.find(v=>v.name===W.view)??this.views[0];if(document.title=[i.title,
t?.file,"ingero"].filter(Boolean).join(" \u2013 "),this.links.forEach((v,$)=>{let A=this.views[$]===i;v.href=Ct({view:this.views[$].name}),v.setAttribute("aria-\
selected",String(A)),v.tabIndex=A?0:-1}),this.follow.hidden=!t?.live,this.whole.hidden=!W.from&&!W.to,!t){this.text.textContent="",this.part.textContent="";return}
let{file:c,legacy:r,first:h,events:d}=t,w=[c,`${V(d)} events`,h?`${P(n)} from ${h.slice(0,10)} ${En(h)} UTC`:"no event yet"];if(r&&w.push("made by the legacy ag\
ent"),this.text.textContent=w.join(" \xB7 "),this.follow.textContent=s?"Live: following":"Live: paused",this.follow.setAttribute("aria-pressed",String(s)),this.
whole.hidden){this.part.textContent="Whole recording";return}let p=(v,$)=>v?Number((Re(v)??l)-l):$,[b,S]=[p(W.from,0),p(W.to,n)];this.part.textContent=`Part: ${P(
Math.max(0,S-b))}, from ${P(b)} on`}};var Vs=document.getElementById("progress"),Ai=x("span"),Ci=x("span",{"aria-hidden":"true"});Vs.replaceChildren(Ai,Ci);var vl=null,$i=0;function zs(){if(vl===null)
return;let e=gi();Ai.textContent=`Loading ${e.length?e.join(", "):"the view"}`;let t=Math.floor((performance.now()-vl)/1e3);Ci.textContent=t?` \u2026 ${t} s`:" \
\u2026"}pi(zs);function Hs(){vl===null&&($i=setInterval(zs,1e3)),vl=performance.now(),Vs.hidden=!1,zs()}function Kl(){vl=null,clearInterval($i),Vs.hidden=!0}var qs=(e=3)=>x(
"div",{class:"waiting","aria-hidden":"true"},Array.from({length:e},()=>x("i"))),Li=e=>x("div",{class:"view outline"},x("section",{class:"card"},x("h2",{},e),qs(
6)));var Ni=new Map,_c=(e,t)=>`${e} ${t}${e===1?"":"s"}`;function vc(e,t,l){let n=x("div",{class:"table",role:"group","aria-label":e},t,l),s=x("button",{class:"hint",
hidden:!0},"More columns"),i=[...t.querySelectorAll("thead th")],c=()=>{let d=n.clientWidth;if(!d)return;let w=n.scrollWidth>d+1,p=w?i.filter(S=>S.offsetLeft+S.
offsetWidth>n.scrollLeft+d+1):[],b=p.length;n.classList.toggle("is-wide",w),r.classList.toggle("is-cut",b>0),w?n.tabIndex=0:n.removeAttribute("tabindex"),s.hidden=
!w,s.textContent=b?`${_c(b,"more column")} \u2192`:"\u2190 to the first column",s.onclick=()=>{let S=b?p[0].offsetLeft-i[0].offsetWidth:0;n.scrollLeft=b&&S<=n.scrollLeft?
n.scrollLeft+d/2:S}},r=x("div",{class:"frame"},s,n);n.addEventListener("scroll",c,{passive:!0});let h=new ResizeObserver(c);return h.observe(n),h.observe(t),r}function ie({
caption:e,columns:t,rows:l,sorted:n=null,choose:s=null,key:i=null,chosen:c=null,most:r=200}){let h=Ni.get(e)??{by:n,down:!0};Ni.set(e,h);let d=x("tbody"),w=x("p",
{class:"quiet"});function p(){let v=t[h.by],$=l;v?.sort&&($=[...l].sort((A,R)=>{let[m,E]=[v.sort(A),v.sort(R)],k=m===E?0:m==null?-1:E==null?1:m<E?-1:1;return h.
down?-k:k})),d.replaceChildren(...$.slice(0,r).map(A=>{let R=x("tr",{"aria-selected":i&&c!==null?String(i(A))===String(c):void 0});return t.forEach((m,E)=>{let k=m.
node?m.node(A):m.text(A);R.append(x(E===0?"th":"td",{scope:E===0?"row":void 0,class:m.number?"number":void 0},E===0&&s?x("button",{class:"plain",onclick:()=>s(A)},
k):k))}),R})),w.textContent=l.length>r?`${r} of ${l.length} rows are shown.`:"",b.forEach((A,R)=>A.setAttribute("aria-sort",R!==h.by?"none":h.down?"descending":
"ascending"))}let b=t.map((v,$)=>x("th",{scope:"col",class:v.number?"number":void 0,title:v.title},v.sort?x("button",{class:"plain",onclick:()=>{h.down=h.by===$?
!h.down:!0,h.by=$,p()}},v.head):v.head)),S=x("table",{},x("caption",{},e),x("thead",{},x("tr",{},b)),d);return p(),vc(e,S,w)}function $t(e){return x("dl",{class:"\
facts"},e.filter(([,t])=>t!=null&&t!=="").map(([t,l])=>x("div",{},x("dt",{},t),x("dd",{},l))))}var Y=(e,...t)=>x("section",{class:"card"},x("h2",{},e),...t),we=e=>x(
"p",{class:"quiet"},e),Ce=e=>e?.cut?.length?x("ul",{class:"cut"},e.cut.map(t=>x("li",{},t))):null;var Di=e=>e===null?"made before the recording":BigInt(e).toString(16);async function kc(e,t){let l=await me("get_collectives",ze(),t.signal);if(!l.communicators.
length){e.append(Y("Collectives",we("No collective was called in this part."),Ce(l)));return}for(let n of l.communicators)e.append(Y(`Communicator ${Di(n.comm_id_hash)}`,
$t([["Ranks",n.nranks],["Ranks seen here",V(n.ranks_seen)],["Collectives that several entered",V(n.rounds)],["First to last, at most",n.max_skew_ns===null?null:
P(n.max_skew_ns)]]),n.hangs.length?x("ul",{class:"cut"},n.hangs.map(s=>x("li",{},`${s.call} number ${s.number}: ranks ${s.missing} missing while ${s.present} wa\
ited ${P(s.waited_ns)}${s.is_over?"":", still"}`))):null,ie({caption:"Calls",rows:n.ops,columns:[{head:"Call",text:s=>s.call},{head:"Calls",number:!0,text:s=>V(
s.calls)},{head:"Bytes",number:!0,text:s=>Le(s.bytes)},{head:"Average wait",number:!0,text:s=>P(s.average_wait_ns)},{head:"Longest wait",number:!0,text:s=>P(s.max_wait_ns)}]}),
n.last.length?ie({caption:"Who came last",rows:n.last,columns:[{head:"Came last",text:s=>s.rank===null?`pid ${s.pid}`:`rank ${s.rank}`},{head:"Times",number:!0,
text:s=>V(s.times)},{head:"After the first, at most",number:!0,text:s=>P(s.max_skew_ns)},{head:"After the one before",number:!0,text:s=>P(s.late_ns)}]}):null));
e.append(Y("By rank",ie({caption:"By rank",rows:l.ranks,columns:[{head:"Rank",text:n=>n.rank===null?`pid ${n.pid}`:n.rank,sort:n=>n.rank},{head:"Communicator",text:n=>Di(
n.comm_id_hash)},{head:"Calls",number:!0,text:n=>V(n.calls),sort:n=>n.calls},{head:"Bytes",number:!0,text:n=>Le(n.bytes),sort:n=>n.bytes},{head:"Average wait",number:!0,
text:n=>P(n.average_wait_ns),sort:n=>n.average_wait_ns},{head:"Longest wait",number:!0,text:n=>P(n.max_wait_ns),sort:n=>n.max_wait_ns},{head:"Last number",number:!0,
text:n=>V(n.last_number),sort:n=>n.last_number}]}),Ce(l)))}var Pi={name:"collectives",title:"Collectives",draw:kc};function Sc(e){let t={name:"all",ns:0,n:0,children:new Map};for(let l of e){if(!l.frames?.length)continue;t.ns+=l.total_ns??0,t.n+=l.n;let n=t;for(let s of[...l.
frames].reverse())n.children.has(s)||n.children.set(s,{name:s,ns:0,n:0,children:new Map}),n=n.children.get(s),n.ns+=l.total_ns??0,n.n+=l.n}return t}function Mc(e,t){
let l=e;for(let n of t)if(l=l.children.get(n),!l)return null;return l}var Ec=e=>e.children.size===0?"leaf":/\.py\b|\[Python\]/.test(e.name)?"python":"native";function Ri(e,t,l,n,s=0){
if(s>60)return null;let i=[...e.children.values()].sort((c,r)=>r.ns-c.ns).filter(c=>c.ns/t.ns>.002);return x("ul",{class:"icicle"},i.map(c=>{let r=x("li",{},x("\
button",{class:`box ${Ec(c)}`,title:`${c.name}: ${P(c.ns)}, ${yl(c.ns/t.ns)}, ${V(c.n)} calls`,onclick:()=>n([...l,c.name])},c.name),Ri(c,t,[...l,c.name],n,s+1));
return r.style.flexGrow=String(c.ns),r.style.width=`${100*c.ns/e.ns}%`,r}))}async function Tc(e,t){let l=await me("get_stacks",{...ze(),limit:100,...W.chosen.op&&
{op:W.chosen.op}},t.signal),n=l.stacks.filter(w=>w.frames?.length),s=Sc(n),i=[];try{i=JSON.parse(W.chosen.path??"[]")}catch{i=[]}let c=Array.isArray(i)?Mc(s,i.map(
String))??s:s;c===s&&(i=[]);let r=w=>tt({path:w.length?JSON.stringify(w):null},!1),h=[...new Set(l.stacks.map(w=>w.op))].sort(),d=x("select",{id:"op"},x("option",
{value:""},"all calls"),h.map(w=>x("option",{value:w,selected:w===W.chosen.op},w)));W.chosen.op&&!h.includes(W.chosen.op)&&d.append(x("option",{value:W.chosen.op,
selected:!0},W.chosen.op)),d.addEventListener("change",()=>tt({op:d.value||null,path:null},!1)),e.append(x("section",{class:"card"},x("h2",{},"Where calls were \
made"),x("div",{class:"bar"},x("label",{for:"op"},"Of"),d,i.length?x("button",{onclick:()=>r([])},"All of it"):null,i.length?x("button",{onclick:()=>r(i.slice(0,
-1))},"One frame out"):null),n.length?x("div",{},i.length?x("p",{},i.at(-1)):null,x("p",{class:"quiet"},`${P(c.ns)} in ${V(c.n)} calls; a frame is as wide as it\
s share, the calls stand at the bottom.`),x("div",{class:"flames",role:"group","aria-label":"Flame graph"},Ri(c,c,i,r))):we("This part has no stacks: not every \
call has one (trace --stack), and recordings of the legacy agent may have none."),Ce(l))),l.stacks.length&&e.append(Y("Stacks",ie({caption:"Stacks by time",rows:l.
stacks,sorted:2,columns:[{head:"Call",text:w=>w.op,sort:w=>w.op},{head:"Calls",number:!0,text:w=>V(w.n),sort:w=>w.n},{head:"Time",number:!0,text:w=>P(w.total_ns),
sort:w=>w.total_ns},{head:"Longest",number:!0,text:w=>P(w.max_us===null?null:w.max_us*1e3),sort:w=>w.max_us},{head:"Innermost frames",text:w=>(w.frames??[]).slice(
0,3).join(" < ")||"not known"}]})))}var Oi={name:"flame",title:"Flame graph",draw:Tc};function Ac(e){let t=e.flatMap(l=>l.rows.filter(n=>n.state!=="resolved").map(n=>({...n,library:l.library})));return x("div",{},ie({caption:"Rows by library of t\
his machine",rows:e,columns:[{head:"Library",text:l=>l.path},{head:"Version",text:l=>l.version??""},{head:"Processes",number:!0,text:l=>V(l.pids.length)},{head:"\
Resolved",number:!0,text:l=>V(l.resolved)},{head:"Absent",number:!0,text:l=>V(l.absent)},{head:"Refused",number:!0,text:l=>V(l.refused)},{head:"Single-stepped",
number:!0,text:l=>V(l.single_stepped)}]}),t.length?x("details",{},x("summary",{},`${V(t.length)} rows are absent or refused`),ie({caption:"Absent and refused ro\
ws",rows:t,columns:[{head:"Call",text:l=>l.call},{head:"Library",text:l=>l.library},{head:"State",text:l=>l.state},{head:"Why",text:l=>[l.reason,l.remedy].filter(
Boolean).join("; ")}]})):null)}async function Cc(e,{info:t,signal:l}){let[n,s,i]=await Promise.all([me("get_trace_stats",{},l),At("SELECT id, (CASE WHEN stopped\
_at > 0 THEN stopped_at - started_at END) AS lasted_ns, kernel, os_release, cpu_model, cpu_cores, gpu_model, gpu_driver, flags, pid_filter, node, ingero_ver FRO\
M sessions ORDER BY id",50,l),t.legacy?Promise.resolve(null):At("SELECT backend, library, library_version, count(*) AS rows, count(DISTINCT name) AS calls FROM \
sites GROUP BY 1, 2, 3 ORDER BY rows DESC",200,l)]),c=n.recording.not_ended,r=c?n.recording.lost_at_least??[]:n.lost;c&&e.append(Y("No proper end",x("p",{},c),x(
"p",{},"What was lost is not known. Below is what was counted until then."))),e.append(Y("What was lost",r===null?we("Not known: the legacy agent kept no accoun\
t of it."):r.length===0?we(c?"Nothing until then.":"Nothing."):ie({caption:"Losses",rows:r,sorted:1,columns:[{head:"What",text:d=>d.sentence},{head:"Count",number:!0,
text:d=>V(d.count),sort:d=>d.count},{head:"Severity",node:d=>x("span",{class:`severity ${d.severity==="info"?"low":"medium"}`},d.severity),sort:d=>d.severity},{
head:"Name",text:d=>d.name}]}))),e.append(Y("Rows in use, by library",i===null?we("Not known: the legacy agent did not store it."):i.length===0?we("No call of a\
 library was captured."):ie({caption:"Libraries",rows:i,columns:[{head:"Library",text:d=>d.library??"the kernel"},{head:"Version",text:d=>d.library_version??""},
{head:"Backend",text:d=>d.backend},{head:"Calls",number:!0,text:d=>V(d.calls)},{head:"Spellings",number:!0,text:d=>V(d.rows)}]}),x("p",{class:"quiet"},"Rows tha\
t saw at least one call. Which rows can be attached at all, the check below says for the machine that serves this page."))),e.append(Y("Runs of the agent",ie({caption:"\
Runs",rows:s,columns:[{head:"Run",text:d=>`${d.id}${d.node?` on ${d.node}`:""}`},{head:"Lasted",number:!0,text:d=>d.lasted_ns===null?t.live?"running":"killed":P(
d.lasted_ns)},{head:"Flags",text:d=>d.flags??""},{head:"Processes",text:d=>d.pid_filter||"all"},{head:"Kernel",text:d=>d.kernel??""},{head:"CPU",text:d=>`${d.cpu_model??
""}${d.cpu_cores?`, ${d.cpu_cores}`:""}`},{head:"Device",text:d=>d.gpu_model??""},{head:"Version",text:d=>d.ingero_ver??""}]}),$t([["Events",V(n.events)],["Rows\
 pruned to keep the file small",n.rows_pruned?V(n.rows_pruned):"none"]]),Ce(n)));let h=x("div",{},x("button",{id:"check",onclick:async()=>{h.replaceChildren(x("\
p",{class:"quiet"},"Looking\u2026"));try{let d=await me("get_check");h.replaceChildren(x("p",{},`This machine is ${d.status}.`),Ac(d.libraries),ie({caption:"Che\
cks of this machine",rows:d.checks,columns:[{head:"Check",text:w=>w.name},{head:"Verdict",text:w=>w.pass===null?"could not tell":w.pass?"passed":w.optional?"mis\
sing, not needed":"failed"},{head:"What was found",text:w=>[w.value,w.detail,w.recommendation].filter(Boolean).join("; ")}]}))}catch(d){h.replaceChildren(x("p",
{role:"alert"},d.message))}}},"Check this machine"));e.append(Y("The machine that serves this page",h))}var Ii={name:"health",title:"Capture",draw:Cc};var $c="uplot",Lc="u-hz",Nc="u-vt",Dc="u-title",Pc="u-wrap",Rc="u-under",Oc="u-over",Ic="u-axis",Cn="u-off",Wc="u-select",Fc="u-cursor-x",Bc="u-cursor-y",zc="u-\
cursor-pt",Vc="u-legend",Hc="u-live",qc="u-inline",Uc="u-series",Yc="u-marker",Wi="u-label",Kc="u-value",Sl="width",Ml="height";var Fi="bottom",tl="left",Us="right",ao="#000",Bi=ao+"0",Ys="mousemove",zi="mousedown",Ks="mouseup",Vi="mouseenter",Hi="mouseleave",qi="dblclick",Gc="resize",jc="\
scroll",Ui="change",Ql="dppxchange",co="--",al=typeof window<"u",Qs=al?document:null,ll=al?window:null,Jc=al?navigator:null,fe,Gl;function Xs(){let e=devicePixelRatio;
fe!=e&&(fe=e,Gl&&to(Ui,Gl,Xs),Gl=matchMedia(`(min-resolution: ${fe-.001}dppx) and (max-resolution: ${fe+.001}dppx)`),$n(Ui,Gl,Xs),ll.dispatchEvent(new CustomEvent(
Ql)))}function wt(e,t){if(t!=null){let l=e.classList;!l.contains(t)&&l.add(t)}}function eo(e,t){let l=e.classList;l.contains(t)&&l.remove(t)}function Me(e,t,l){
e.style[t]=l+"px"}function Ft(e,t,l,n){let s=Qs.createElement(e);return t!=null&&wt(s,t),l?.insertBefore(s,n),s}function Lt(e,t){return Ft("div",e,t)}var Yi=new WeakMap;
function Jt(e,t,l,n,s){let i="translate("+t+"px,"+l+"px)",c=Yi.get(e);i!=c&&(e.style.transform=i,Yi.set(e,i),t<0||l<0||t>n||l>s?wt(e,Cn):eo(e,Cn))}var Ki=new WeakMap;
function Gi(e,t,l){let n=t+l,s=Ki.get(e);n!=s&&(Ki.set(e,n),e.style.background=t,e.style.borderColor=l)}var ji=new WeakMap;function Ji(e,t,l,n){let s=t+""+l,i=ji.
get(e);s!=i&&(ji.set(e,s),e.style.height=l+"px",e.style.width=t+"px",e.style.marginLeft=n?-t/2+"px":0,e.style.marginTop=n?-l/2+"px":0)}var uo={passive:!0},Zc={...uo,
capture:!0};function $n(e,t,l,n){t.addEventListener(e,l,n?Zc:uo)}function to(e,t,l,n){t.removeEventListener(e,l,uo)}al&&Xs();function Bt(e,t,l,n){let s;l=l||0,n=
n||t.length-1;let i=n<=2147483647;for(;n-l>1;)s=i?l+n>>1:bt((l+n)/2),t[s]<e?l=s:n=s;return e-t[l]<=t[n]-e?l:n}function Sr(e){return(l,n,s)=>{let i=-1,c=-1;for(let r=n;r<=
s;r++)if(e(l[r])){i=r;break}for(let r=s;r>=n;r--)if(e(l[r])){c=r;break}return[i,c]}}var Mr=e=>e!=null,Er=e=>e!=null&&e>0,ts=Sr(Mr),Qc=Sr(Er);function Xc(e,t,l,n=0,s=!1){
let i=s?Qc:ts,c=s?Er:Mr;[t,l]=i(e,t,l);let r=e[t],h=e[t];if(t>-1)if(n==1)r=e[t],h=e[l];else if(n==-1)r=e[l],h=e[t];else for(let d=t;d<=l;d++){let w=e[d];c(w)&&(w<
r?r=w:w>h&&(h=w))}return[r??be,h??-be]}function ns(e,t,l,n){let s=Xi(e),i=Xi(t);e==t&&(s==-1?(e*=l,t/=l):(e/=l,t*=l));let c=l==10?en:Tr,r=s==1?bt:Nt,h=i==1?Nt:bt,
d=r(c(He(e))),w=h(c(He(t))),p=sl(l,d),b=sl(l,w);return l==10&&(d<0&&(p=xe(p,-d)),w<0&&(b=xe(b,-w))),n||l==2?(e=p*s,t=b*i):(e=Lr(e,p),t=ls(t,b)),[e,t]}function fo(e,t,l,n){
let s=ns(e,t,l,n);return e==0&&(s[0]=0),t==0&&(s[1]=0),s}var ho=.1,Zi={mode:3,pad:ho},Tl={pad:0,soft:null,mode:0},eu={min:Tl,max:Tl};function Xl(e,t,l,n){return ss(
l)?Qi(e,t,l):(Tl.pad=l,Tl.soft=n?0:null,Tl.mode=n?3:0,Qi(e,t,eu))}function ce(e,t){return e??t}function tu(e,t,l){for(t=ce(t,0),l=ce(l,e.length-1);t<=l;){if(e[t]!=
null)return!0;t++}return!1}function Qi(e,t,l){let n=l.min,s=l.max,i=ce(n.pad,0),c=ce(s.pad,0),r=ce(n.hard,-be),h=ce(s.hard,be),d=ce(n.soft,be),w=ce(s.soft,-be),
p=ce(n.mode,0),b=ce(s.mode,0),S=t-e,v=en(S),$=rt(He(e),He(t)),A=en($),R=He(A-v);(S<1e-24||R>10)&&(S=0,(e==0||t==0)&&(S=1e-24,p==2&&d!=be&&(i=0),b==2&&w!=-be&&(c=
0)));let m=S||$||1e3,E=en(m),k=sl(10,bt(E)),J=m*(S==0?e==0?.1:1:i),L=xe(Lr(e-J,k/10),24),Z=e>=d&&(p==1||p==3&&L<=d||p==2&&L>=d)?d:be,K=rt(r,L<Z&&e>=Z?Z:zt(Z,L)),
X=m*(S==0?t==0?.1:1:c),Q=xe(ls(t+X,k/10),24),C=t<=w&&(b==1||b==3&&Q>=w||b==2&&Q<=w)?w:-be,te=zt(h,Q>C&&t<=C?C:rt(C,Q));return K==te&&K==0&&(te=100),[K,te]}var nu=new Intl.
NumberFormat(al?Jc.language:"en-US"),mo=e=>nu.format(e),xt=Math,Zl=xt.PI,He=xt.abs,bt=xt.floor,Ve=xt.round,Nt=xt.ceil,zt=xt.min,rt=xt.max,sl=xt.pow,Xi=xt.sign,en=xt.
log10,Tr=xt.log2,lu=(e,t=1)=>xt.sinh(e)*t,Gs=(e,t=1)=>xt.asinh(e/t),be=1/0;function er(e){return(en((e^e>>31)-(e>>31))|0)+1}function no(e,t,l){return zt(rt(e,t),
l)}function Ar(e){return typeof e=="function"}function se(e){return Ar(e)?e:()=>e}var su=()=>{},Cr=e=>e,$r=(e,t)=>t,ou=e=>null,tr=e=>!0,nr=(e,t)=>e==t,iu=/\.\d*?(?=9{6,}|0{6,})/gm,
Ln=e=>{if(Dr(e)||dn.has(e))return e;let t=`${e}`,l=t.match(iu);if(l==null)return e;let n=l[0].length-1;if(t.indexOf("e-")!=-1){let[s,i]=t.split("e");return+`${Ln(
s)}e${i}`}return xe(e,n)};function Tn(e,t){return Ln(xe(Ln(e/t))*t)}function ls(e,t){return Ln(Nt(Ln(e/t))*t)}function Lr(e,t){return Ln(bt(Ln(e/t))*t)}function xe(e,t=0){
if(Dr(e))return e;let l=10**t,n=e*l*(1+Number.EPSILON);return Ve(n)/l}var dn=new Map;function Nr(e){return((""+e).split(".")[1]||"").length}function Cl(e,t,l,n){
let s=[],i=n.map(Nr);for(let c=t;c<l;c++){let r=He(c),h=xe(sl(e,c),r);for(let d=0;d<n.length;d++){let w=e==10?+`${n[d]}e${c}`:n[d]*h,p=(c>=0?0:r)+(c>=i[d]?0:i[d]),
b=e==10?w:xe(w,p);s.push(b),dn.set(b,p)}}return s}var Al={},po=[],ol=[null,null],hn=Array.isArray,Dr=Number.isInteger,ru=e=>e===void 0;function lr(e){return typeof e==
"string"}function ss(e){let t=!1;if(e!=null){let l=e.constructor;t=l==null||l==Object}return t}function au(e){return e!=null&&typeof e=="object"}var cu=Object.getPrototypeOf(
Uint8Array),Pr="__proto__";function il(e,t=ss){let l;if(hn(e)){let n=e.find(s=>s!=null);if(hn(n)||t(n)){l=Array(e.length);for(let s=0;s<e.length;s++)l[s]=il(e[s],
t)}else l=e.slice()}else if(e instanceof cu)l=e.slice();else if(t(e)){l={};for(let n in e)n!=Pr&&(l[n]=il(e[n],t))}else l=e;return l}function We(e){let t=arguments;
for(let l=1;l<t.length;l++){let n=t[l];for(let s in n)s!=Pr&&(ss(e[s])?We(e[s],il(n[s])):e[s]=il(n[s]))}return e}var uu=0,fu=1,hu=2;function du(e,t,l){for(let n=0,
s,i=-1;n<t.length;n++){let c=t[n];if(c>i){for(s=c-1;s>=0&&e[s]==null;)e[s--]=null;for(s=c+1;s<l&&e[s]==null;)e[i=s++]=null}}}function mu(e,t){if(wu(e)){let c=e[0].
slice();for(let r=1;r<e.length;r++)c.push(...e[r].slice(1));return bu(c[0])||(c=gu(c)),c}let l=new Set;for(let c=0;c<e.length;c++){let h=e[c][0],d=h.length;for(let w=0;w<
d;w++)l.add(h[w])}let n=[Array.from(l).sort((c,r)=>c-r)],s=n[0].length,i=new Map;for(let c=0;c<s;c++)i.set(n[0][c],c);for(let c=0;c<e.length;c++){let r=e[c],h=r[0];
for(let d=1;d<r.length;d++){let w=r[d],p=Array(s).fill(void 0),b=t?t[c][d]:fu,S=[];for(let v=0;v<w.length;v++){let $=w[v],A=i.get(h[v]);$===null?b!=uu&&(p[A]=$,
b==hu&&S.push(A)):p[A]=$}du(p,S,s),n.push(p)}}return n}var pu=typeof queueMicrotask>"u"?e=>Promise.resolve().then(e):queueMicrotask;function gu(e){let t=e[0],l=t.
length,n=Array(l);for(let i=0;i<n.length;i++)n[i]=i;n.sort((i,c)=>t[i]-t[c]);let s=[];for(let i=0;i<e.length;i++){let c=e[i],r=Array(l);for(let h=0;h<l;h++)r[h]=
c[n[h]];s.push(r)}return s}function wu(e){let t=e[0][0],l=t.length;for(let n=1;n<e.length;n++){let s=e[n][0];if(s.length!=l)return!1;if(s!=t){for(let i=0;i<l;i++)
if(s[i]!=t[i])return!1}}return!0}function bu(e,t=100){let l=e.length;if(l<=1)return!0;let n=0,s=l-1;for(;n<=s&&e[n]==null;)n++;for(;s>=n&&e[s]==null;)s--;if(s<=
n)return!0;let i=rt(1,bt((s-n+1)/t));for(let c=e[n],r=n+i;r<=s;r+=i){let h=e[r];if(h!=null){if(h<=c)return!1;c=h}}return!0}var Rr=["January","February","March",
"April","May","June","July","August","September","October","November","December"],Or=["Sunday","Monday","Tuesday","Wednesday","Thursday","Friday","Saturday"];function Ir(e){
return e.slice(0,3)}var xu=Or.map(Ir),yu=Rr.map(Ir),_u={MMMM:Rr,MMM:yu,WWWW:Or,WWW:xu};function kl(e){return(e<10?"0":"")+e}function vu(e){return(e<10?"00":e<100?
"0":"")+e}var ku={YYYY:e=>e.getFullYear(),YY:e=>(e.getFullYear()+"").slice(2),MMMM:(e,t)=>t.MMMM[e.getMonth()],MMM:(e,t)=>t.MMM[e.getMonth()],MM:e=>kl(e.getMonth()+
1),M:e=>e.getMonth()+1,DD:e=>kl(e.getDate()),D:e=>e.getDate(),WWWW:(e,t)=>t.WWWW[e.getDay()],WWW:(e,t)=>t.WWW[e.getDay()],HH:e=>kl(e.getHours()),H:e=>e.getHours(),
h:e=>{let t=e.getHours();return t==0?12:t>12?t-12:t},AA:e=>e.getHours()>=12?"PM":"AM",aa:e=>e.getHours()>=12?"pm":"am",a:e=>e.getHours()>=12?"p":"a",mm:e=>kl(e.
getMinutes()),m:e=>e.getMinutes(),ss:e=>kl(e.getSeconds()),s:e=>e.getSeconds(),fff:e=>vu(e.getMilliseconds())};function go(e,t){t=t||_u;let l=[],n=/\{([a-z]+)\}|[^{]+/gi,
s;for(;s=n.exec(e);)l.push(s[0][0]=="{"?ku[s[1]]:s[0]);return i=>{let c="";for(let r=0;r<l.length;r++)c+=typeof l[r]=="string"?l[r]:l[r](i,t);return c}}var Su=new Intl.
DateTimeFormat().resolvedOptions().timeZone;function Mu(e,t){let l;return t=="UTC"||t=="Etc/UTC"?l=new Date(+e+e.getTimezoneOffset()*6e4):t==Su?l=e:(l=new Date(
e.toLocaleString("en-US",{timeZone:t})),l.setMilliseconds(e.getMilliseconds())),l}var Wr=e=>e%1==0,es=[1,2,2.5,5],Eu=Cl(10,-32,0,es),Fr=Cl(10,0,32,es),Tu=Fr.filter(
Wr),An=Eu.concat(Fr),wo=`
`,Br="{YYYY}",sr=wo+Br,zr="{M}/{D}",El=wo+zr,jl=El+"/{YY}",Vr="{aa}",Au="{h}:{mm}",nl=Au+Vr,or=wo+nl,ir=":{ss}",de=null;function Hr(e){let t=e*1e3,l=t*60,n=l*60,
s=n*24,i=s*30,c=s*365,h=(e==1?Cl(10,0,3,es).filter(Wr):Cl(10,-3,0,es)).concat([t,t*5,t*10,t*15,t*30,l,l*5,l*10,l*15,l*30,n,n*2,n*3,n*4,n*6,n*8,n*12,s,s*2,s*3,s*
4,s*5,s*6,s*7,s*8,s*9,s*10,s*15,i,i*2,i*3,i*4,i*6,c,c*2,c*5,c*10,c*25,c*50,c*100]),d=[[c,Br,de,de,de,de,de,de,1],[s*28,"{MMM}",sr,de,de,de,de,de,1],[s,zr,sr,de,
de,de,de,de,1],[n,"{h}"+Vr,jl,de,El,de,de,de,1],[l,nl,jl,de,El,de,de,de,1],[t,ir,jl+" "+nl,de,El+" "+nl,de,or,de,1],[e,ir+".{fff}",jl+" "+nl,de,El+" "+nl,de,or,
de,1]];function w(p){return(b,S,v,$,A,R)=>{let m=[],E=A>=c,k=A>=i&&A<c,J=p(v),L=xe(J*e,3),Z=js(J.getFullYear(),E?0:J.getMonth(),k||E?1:J.getDate()),K=xe(Z*e,3);
if(k||E){let X=k?A/i:0,Q=E?A/c:0,C=L==K?L:xe(js(Z.getFullYear()+Q,Z.getMonth()+X,1)*e,3),te=new Date(Ve(C/e)),F=te.getFullYear(),G=te.getMonth();for(let q=0;C<=
$;q++){let oe=js(F+Q*q,G+X*q,1),H=oe-p(xe(oe*e,3));C=xe((+oe+H)*e,3),C<=$&&m.push(C)}}else{let X=A>=s?s:A,Q=bt(v)-bt(L),C=K+Q+ls(L-K,X);m.push(C);let te=p(C),F=te.
getHours()+te.getMinutes()/l+te.getSeconds()/n,G=A/n,q=b.axes[S]._space,oe=R/q;for(;C=xe(C+A,e==1?0:3),!(C>$);)if(G>1){let H=bt(xe(F+G,6))%24,re=p(C).getHours()-
H;re>1&&(re=-1),C-=re*n,F=(F+G)%24;let pe=m[m.length-1];xe((C-pe)/A,3)*oe>=.7&&m.push(C)}else m.push(C)}return m}}return[h,d,w]}var[Cu,$u,Lu]=Hr(1),[Nu,Du,Pu]=Hr(
.001);Cl(2,-53,53,[1]);function rr(e,t){return e.map(l=>l.map((n,s)=>s==0||s==8||n==null?n:t(s==1||l[8]==0?n:l[1]+n)))}function ar(e,t){return(l,n,s,i,c)=>{let r=t.
find(v=>c>=v[0])||t[t.length-1],h,d,w,p,b,S;return n.map(v=>{let $=e(v),A=$.getFullYear(),R=$.getMonth(),m=$.getDate(),E=$.getHours(),k=$.getMinutes(),J=$.getSeconds(),
L=A!=h&&r[2]||R!=d&&r[3]||m!=w&&r[4]||E!=p&&r[5]||k!=b&&r[6]||J!=S&&r[7]||r[1];return h=A,d=R,w=m,p=E,b=k,S=J,L($)})}}function Ru(e,t){let l=go(t);return(n,s,i,c,r)=>s.
map(h=>l(e(h)))}function js(e,t,l){return new Date(e,t,l)}function cr(e,t){return t(e)}var Ou="{YYYY}-{MM}-{DD} {h}:{mm}{aa}";function ur(e,t){return(l,n,s,i)=>i==
null?co:t(e(n))}function Iu(e,t){let l=e.series[t];return l.width?l.stroke(e,t):l.points.width?l.points.stroke(e,t):null}function Wu(e,t){return e.series[t].fill(
e,t)}var Fu={show:!0,live:!0,isolate:!1,mount:su,markers:{show:!0,width:2,stroke:Iu,fill:Wu,dash:"solid"},idx:null,idxs:null,values:[]};function Bu(e,t){let l=e.
cursor.points,n=Lt(),s=l.size(e,t);Me(n,Sl,s),Me(n,Ml,s);let i=s/-2;Me(n,"marginLeft",i),Me(n,"marginTop",i);let c=l.width(e,t,s);return c&&Me(n,"borderWidth",c),
n}function zu(e,t){let l=e.series[t].points;return l._fill||l._stroke}function Vu(e,t){let l=e.series[t].points;return l._stroke||l._fill}function Hu(e,t){return e.
series[t].points.size}var Js=[0,0];function qu(e,t,l){return Js[0]=t,Js[1]=l,Js}function Jl(e,t,l,n=!0){return s=>{s.button==0&&(!n||s.target==t)&&l(s)}}function Zs(e,t,l,n=!0){
return s=>{(!n||s.target==t)&&l(s)}}var Uu={show:!0,x:!0,y:!0,lock:!1,move:qu,points:{one:!1,show:Bu,size:Hu,width:0,stroke:Vu,fill:zu},bind:{mousedown:Jl,mouseup:Jl,
click:Jl,dblclick:Jl,mousemove:Zs,mouseleave:Zs,mouseenter:Zs},drag:{setScale:!0,x:!0,y:!1,dist:0,uni:null,click:(e,t)=>{t.stopPropagation(),t.stopImmediatePropagation()},
_x:!1,_y:!1},focus:{dist:(e,t,l,n,s)=>n-s,prox:-1,bias:0},hover:{skip:[void 0],prox:null,bias:0},left:-10,top:-10,idx:null,dataIdx:null,idxs:null,event:null},qr={
show:!0,stroke:"rgba(0,0,0,0.07)",width:2},bo=We({},qr,{filter:$r}),Ur=We({},bo,{size:10}),Yr=We({},qr,{show:!1}),xo='12px system-ui, -apple-system, "Segoe UI",\
 Roboto, "Helvetica Neue", Arial, "Noto Sans", sans-serif, "Apple Color Emoji", "Segoe UI Emoji", "Segoe UI Symbol", "Noto Color Emoji"',Kr="bold "+xo,Gr=1.5,fr={
show:!0,scale:"x",stroke:ao,space:50,gap:5,alignTo:1,size:50,labelGap:0,labelSize:30,labelFont:Kr,side:2,grid:bo,ticks:Ur,border:Yr,font:xo,lineGap:Gr,rotate:0},
Yu="Value",Ku="Time",hr={show:!0,scale:"x",auto:!1,sorted:1,min:be,max:-be,idxs:[]};function Gu(e,t,l,n,s){return t.map(i=>i==null?"":mo(i))}function ju(e,t,l,n,s,i,c){
let r=[],h=dn.get(s)||0;l=c?l:xe(ls(l,s),h);for(let d=l;d<=n;d=xe(d+s,h))r.push(Object.is(d,-0)?0:d);return r}function lo(e,t,l,n,s,i,c){let r=[],h=e.scales[e.axes[t].
scale].log,d=h==10?en:Tr,w=bt(d(l));s=sl(h,w),h==10&&(s=An[Bt(s,An)]);let p=l,b=s*h;h==10&&(b=An[Bt(b,An)]);do r.push(p),p=p+s,h==10&&!dn.has(p)&&(p=xe(p,dn.get(
s))),p>=b&&(s=p,b=s*h,h==10&&(b=An[Bt(b,An)]));while(p<=n);return r}function Ju(e,t,l,n,s,i,c){let h=e.scales[e.axes[t].scale].asinh,d=n>h?lo(e,t,rt(h,l),n,s):[
h],w=n>=0&&l<=0?[0]:[];return(l<-h?lo(e,t,rt(h,-n),-l,s):[h]).reverse().map(b=>-b).concat(w,d)}var jr=/./,Zu=/[12357]/,Qu=/[125]/,dr=/1/,so=(e,t,l,n)=>e.map((s,i)=>t==
4&&s==0||i%n==0&&l.test(s.toExponential()[s<0?1:0])?s:null);function Xu(e,t,l,n,s){let i=e.axes[l],c=i.scale,r=e.scales[c],h=e.valToPos,d=i._space,w=h(10,c),p=h(
9,c)-w>=d?jr:h(7,c)-w>=d?Zu:h(5,c)-w>=d?Qu:dr;if(p==dr){let b=He(h(1,c)-w);if(b<d)return so(t.slice().reverse(),r.distr,p,Nt(d/b)).reverse()}return so(t,r.distr,
p,1)}function ef(e,t,l,n,s){let i=e.axes[l],c=i.scale,r=i._space,h=e.valToPos,d=He(h(1,c)-h(2,c));return d<r?so(t.slice().reverse(),3,jr,Nt(r/d)).reverse():t}function tf(e,t,l,n){
return n==null?co:t==null?"":mo(t)}var mr={show:!0,scale:"y",stroke:ao,space:30,gap:5,alignTo:1,size:50,labelGap:0,labelSize:30,labelFont:Kr,side:3,grid:bo,ticks:Ur,
border:Yr,font:xo,lineGap:Gr,rotate:0};function nf(e,t){let l=3+(e||1)*2;return xe(l*t,3)}function lf(e,t){let{scale:l,idxs:n}=e.series[0],s=e._data[0],i=e.valToPos(
s[n[0]],l,!0),c=e.valToPos(s[n[1]],l,!0),r=He(c-i),h=e.series[t],d=r/(h.points.space*fe);return n[1]-n[0]<=d}var pr={scale:null,auto:!0,sorted:0,min:be,max:-be},
Jr=(e,t,l,n,s)=>s,gr={show:!0,auto:!0,sorted:0,gaps:Jr,alpha:1,facets:[We({},pr,{scale:"x"}),We({},pr,{scale:"y"})]},wr={scale:"y",auto:!0,sorted:0,show:!0,spanGaps:!1,
gaps:Jr,alpha:1,points:{show:lf,filter:null},values:null,min:be,max:-be,idxs:[],path:null,clip:null};function sf(e,t,l,n,s){return l/10}var Zr={time:!0,auto:!0,
distr:1,log:10,asinh:1,min:null,max:null,dir:1,ori:0},of=We({},Zr,{time:!1,ori:1}),br={};function Qr(e,t){let l=br[e];return l||(l={key:e,plots:[],sub(n){l.plots.
push(n)},unsub(n){l.plots=l.plots.filter(s=>s!=n)},pub(n,s,i,c,r,h,d){for(let w=0;w<l.plots.length;w++)l.plots[w]!=s&&l.plots[w].pub(n,s,i,c,r,h,d)}},e!=null&&(br[e]=
l)),l}var rl=1,oo=2;function Nn(e,t,l){let n=e.mode,s=e.series[t],i=n==2?e._data[t]:e._data,c=e.scales,r=e.bbox,h=i[0],d=n==2?i[1]:i[t],w=n==2?c[s.facets[0].scale]:
c[e.series[0].scale],p=n==2?c[s.facets[1].scale]:c[s.scale],b=r.left,S=r.top,v=r.width,$=r.height,A=e.valToPosH,R=e.valToPosV;return w.ori==0?l(s,h,d,w,p,A,R,b,
S,v,$,is,cl,as,ea,na):l(s,h,d,w,p,R,A,S,b,$,v,rs,ul,vo,ta,la)}function yo(e,t){let l=0,n=0,s=ce(e.bands,po);for(let i=0;i<s.length;i++){let c=s[i];c.series[0]==
t?l=c.dir:c.series[1]==t&&(c.dir==1?n|=1:n|=2)}return[l,n==1?-1:n==2?1:n==3?2:0]}function rf(e,t,l,n,s){let i=e.mode,c=e.series[t],r=i==2?c.facets[1].scale:c.scale,
h=e.scales[r];return s==-1?h.min:s==1?h.max:h.distr==3?h.dir==1?h.min:h.max:0}function tn(e,t,l,n,s,i){return Nn(e,t,(c,r,h,d,w,p,b,S,v,$,A)=>{let R=c.pxRound,m=d.
dir*(d.ori==0?1:-1),E=d.ori==0?cl:ul,k,J;m==1?(k=l,J=n):(k=n,J=l);let L=R(p(r[k],d,$,S)),Z=R(b(h[k],w,A,v)),K=R(p(r[J],d,$,S)),X=R(b(i==1?w.max:w.min,w,A,v)),Q=new Path2D(
s);return E(Q,K,X),E(Q,L,X),E(Q,L,Z),Q})}function os(e,t,l,n,s,i){let c=null;if(e.length>0){c=new Path2D;let r=t==0?as:vo,h=l;for(let p=0;p<e.length;p++){let b=e[p];
if(b[1]>b[0]){let S=b[0]-h;S>0&&r(c,h,n,S,n+i),h=b[1]}}let d=l+s-h,w=10;d>0&&r(c,h,n-w/2,d,n+i+w)}return c}function af(e,t,l){let n=e[e.length-1];n&&n[0]==t?n[1]=
l:e.push([t,l])}function _o(e,t,l,n,s,i,c){let r=[],h=e.length;for(let d=s==1?l:n;d>=l&&d<=n;d+=s)if(t[d]===null){let p=d,b=d;if(s==1)for(;++d<=n&&t[d]===null;)
b=d;else for(;--d>=l&&t[d]===null;)b=d;let S=i(e[p]),v=b==p?S:i(e[b]),$=p-s;S=c<=0&&$>=0&&$<h?i(e[$]):S;let R=b+s;v=c>=0&&R>=0&&R<h?i(e[R]):v,v>=S&&r.push([S,v])}
return r}function xr(e){return e==0?Cr:e==1?Ve:t=>Tn(t,e)}function Xr(e){let t=e==0?is:rs,l=e==0?(s,i,c,r,h,d)=>{s.arcTo(i,c,r,h,d)}:(s,i,c,r,h,d)=>{s.arcTo(c,i,
h,r,d)},n=e==0?(s,i,c,r,h)=>{s.rect(i,c,r,h)}:(s,i,c,r,h)=>{s.rect(c,i,h,r)};return(s,i,c,r,h,d=0,w=0)=>{d==0&&w==0?n(s,i,c,r,h):(d=zt(d,r/2,h/2),w=zt(w,r/2,h/2),
t(s,i+d,c),l(s,i+r,c,i+r,c+h,d),l(s,i+r,c+h,i,c+h,w),l(s,i,c+h,i,c,w),l(s,i,c,i+r,c,d),s.closePath())}}var is=(e,t,l)=>{e.moveTo(t,l)},rs=(e,t,l)=>{e.moveTo(l,t)},
cl=(e,t,l)=>{e.lineTo(t,l)},ul=(e,t,l)=>{e.lineTo(l,t)},as=Xr(0),vo=Xr(1),ea=(e,t,l,n,s,i)=>{e.arc(t,l,n,s,i)},ta=(e,t,l,n,s,i)=>{e.arc(l,t,n,s,i)},na=(e,t,l,n,s,i,c)=>{
e.bezierCurveTo(t,l,n,s,i,c)},la=(e,t,l,n,s,i,c)=>{e.bezierCurveTo(l,t,s,n,c,i)};function sa(e){return(t,l,n,s,i)=>Nn(t,l,(c,r,h,d,w,p,b,S,v,$,A)=>{let{pxRound:R,
points:m}=c,E,k;d.ori==0?(E=is,k=ea):(E=rs,k=ta);let J=xe(m.width*fe,3),L=(m.size-m.width)/2*fe,Z=xe(L*2,3),K=new Path2D,X=new Path2D,{left:Q,top:C,width:te,height:F}=t.
bbox;as(X,Q-Z,C-Z,te+Z*2,F+Z*2);let G=q=>{if(h[q]!=null){let oe=R(p(r[q],d,$,S)),H=R(b(h[q],w,A,v));E(K,oe+L,H),k(K,oe,H,L,0,Zl*2)}};if(i)i.forEach(G);else for(let q=n;q<=
s;q++)G(q);return{stroke:J>0?K:null,fill:K,clip:X,flags:rl|oo}})}function oa(e){return(t,l,n,s,i,c)=>{n!=s&&(i!=n&&c!=n&&e(t,l,n),i!=s&&c!=s&&e(t,l,s),e(t,l,c))}}
var cf=oa(cl),uf=oa(ul);function ia(e){let t=ce(e?.alignGaps,0);return(l,n,s,i)=>Nn(l,n,(c,r,h,d,w,p,b,S,v,$,A)=>{[s,i]=ts(h,s,i);let R=c.pxRound,m=F=>R(p(F,d,$,
S)),E=F=>R(b(F,w,A,v)),k,J;d.ori==0?(k=cl,J=cf):(k=ul,J=uf);let L=d.dir*(d.ori==0?1:-1),Z={stroke:new Path2D,fill:null,clip:null,band:null,gaps:null,flags:rl},K=Z.
stroke,X=!1;if(i-s>=$*4){let F=B=>l.posToVal(B,d.key,!0),G=null,q=null,oe,H,ct,Ee=m(r[L==1?s:i]),re=m(r[s]),pe=m(r[i]),ne=F(L==1?re+1:pe-1);for(let B=L==1?s:i;B>=
s&&B<=i;B+=L){let Fe=r[B],Te=(L==1?Fe<ne:Fe>ne)?Ee:m(Fe),he=h[B];Te==Ee?he!=null?(H=he,G==null?(k(K,Te,E(H)),oe=G=q=H):H<G?G=H:H>q&&(q=H)):he===null&&(X=!0):(G!=
null&&J(K,Ee,E(G),E(q),E(oe),E(H)),he!=null?(H=he,k(K,Te,E(H)),G=q=oe=H):(G=q=null,he===null&&(X=!0)),Ee=Te,ne=F(Ee+L))}G!=null&&G!=q&&ct!=Ee&&J(K,Ee,E(G),E(q),
E(oe),E(H))}else for(let F=L==1?s:i;F>=s&&F<=i;F+=L){let G=h[F];G===null?X=!0:G!=null&&k(K,m(r[F]),E(G))}let[C,te]=yo(l,n);if(c.fill!=null||C!=0){let F=Z.fill=new Path2D(
K),G=c.fillTo(l,n,c.min,c.max,C),q=E(G),oe=m(r[s]),H=m(r[i]);L==-1&&([H,oe]=[oe,H]),k(F,H,q),k(F,oe,q)}if(!c.spanGaps){let F=[];X&&F.push(..._o(r,h,s,i,L,m,t)),
Z.gaps=F=c.gaps(l,n,s,i,F),Z.clip=os(F,d.ori,S,v,$,A)}return te!=0&&(Z.band=te==2?[tn(l,n,s,i,K,-1),tn(l,n,s,i,K,1)]:tn(l,n,s,i,K,te)),Z})}function ff(e){let t=ce(
e.align,1),l=ce(e.ascDesc,!1),n=ce(e.alignGaps,0),s=ce(e.extend,!1);return(i,c,r,h)=>Nn(i,c,(d,w,p,b,S,v,$,A,R,m,E)=>{[r,h]=ts(p,r,h);let k=d.pxRound,{left:J,width:L}=i.
bbox,Z=re=>k(v(re,b,m,A)),K=re=>k($(re,S,E,R)),X=b.ori==0?cl:ul,Q={stroke:new Path2D,fill:null,clip:null,band:null,gaps:null,flags:rl},C=Q.stroke,te=b.dir*(b.ori==
0?1:-1),F=K(p[te==1?r:h]),G=Z(w[te==1?r:h]),q=G,oe=G;s&&t==-1&&(oe=J,X(C,oe,F)),X(C,G,F);for(let re=te==1?r:h;re>=r&&re<=h;re+=te){let pe=p[re];if(pe==null)continue;
let ne=Z(w[re]),B=K(pe);t==1?X(C,ne,F):X(C,q,B),X(C,ne,B),F=B,q=ne}let H=q;s&&t==1&&(H=J+L,X(C,H,F));let[ct,Ee]=yo(i,c);if(d.fill!=null||ct!=0){let re=Q.fill=new Path2D(
C),pe=d.fillTo(i,c,d.min,d.max,ct),ne=K(pe);X(re,H,ne),X(re,oe,ne)}if(!d.spanGaps){let re=[];re.push(..._o(w,p,r,h,te,Z,n));let pe=d.width*fe/2,ne=l||t==1?pe:-pe,
B=l||t==-1?-pe:pe;re.forEach(Fe=>{Fe[0]+=ne,Fe[1]+=B}),Q.gaps=re=d.gaps(i,c,r,h,re),Q.clip=os(re,b.ori,A,R,m,E)}return Ee!=0&&(Q.band=Ee==2?[tn(i,c,r,h,C,-1),tn(
i,c,r,h,C,1)]:tn(i,c,r,h,C,Ee)),Q})}function yr(e,t,l,n,s,i,c=be){if(e.length>1){let r=null;for(let h=0,d=1/0;h<e.length;h++)if(t[h]!==void 0){if(r!=null){let w=He(
e[h]-e[r]);w<d&&(d=w,c=He(l(e[h],n,s,i)-l(e[r],n,s,i)))}r=h}}return c}function hf(e){e=e||Al;let t=ce(e.size,[.6,be,1]),l=e.align||0,n=e.gap||0,s=e.radius;s=s==
null?[0,0]:typeof s=="number"?[s,0]:s;let i=se(s),c=1-t[0],r=ce(t[1],be),h=ce(t[2],1),d=ce(e.disp,Al),w=ce(e.each,S=>{}),{fill:p,stroke:b}=d;return(S,v,$,A)=>Nn(
S,v,(R,m,E,k,J,L,Z,K,X,Q,C)=>{let te=R.pxRound,F=l,G=n*fe,q=r*fe,oe=h*fe,H,ct;k.ori==0?[H,ct]=i(S,v):[ct,H]=i(S,v);let Ee=k.dir*(k.ori==0?1:-1),re=k.ori==0?as:vo,
pe=k.ori==0?w:(O,ye,Be,Wn,bn,Ht,xn)=>{w(O,ye,Be,bn,Wn,xn,Ht)},ne=ce(S.bands,po).find(O=>O.series[0]==v),B=ne!=null?ne.dir:0,Fe=R.fillTo(S,v,R.min,R.max,B),nt=te(
Z(Fe,J,C,X)),Te,he,Dt,ht=Q,$e=te(R.width*fe),Vt=!1,Zt=null,vt=null,ln=null,Rn=null;p!=null&&($e==0||b!=null)&&(Vt=!0,Zt=p.values(S,v,$,A),vt=new Map,new Set(Zt).
forEach(O=>{O!=null&&vt.set(O,new Path2D)}),$e>0&&(ln=b.values(S,v,$,A),Rn=new Map,new Set(ln).forEach(O=>{O!=null&&Rn.set(O,new Path2D)})));let{x0:On,size:fl}=d;
if(On!=null&&fl!=null){F=1,m=On.values(S,v,$,A),On.unit==2&&(m=m.map(Be=>S.posToVal(K+Be*Q,k.key,!0)));let O=fl.values(S,v,$,A);fl.unit==2?he=O[0]*Q:he=L(O[0],k,
Q,K)-L(0,k,Q,K),ht=yr(m,E,L,k,Q,K,ht),Dt=ht-he+G}else ht=yr(m,E,L,k,Q,K,ht),Dt=ht*c+G,he=ht-Dt;Dt<1&&(Dt=0),$e>=he/2&&($e=0),Dt<5&&(te=Cr);let Pl=Dt>0,gn=ht-Dt-
(Pl?$e:0);he=te(no(gn,oe,q)),Te=(F==0?he/2:F==Ee?0:he)-F*Ee*((F==0?G/2:0)+(Pl?$e/2:0));let lt={stroke:null,fill:null,clip:null,band:null,gaps:null,flags:0},In=Vt?
null:new Path2D,Qt=null;if(ne!=null)Qt=S.data[ne.series[1]];else{let{y0:O,y1:ye}=d;O!=null&&ye!=null&&(E=ye.values(S,v,$,A),Qt=O.values(S,v,$,A))}let wn=H*he,ee=ct*
he;for(let O=Ee==1?$:A;O>=$&&O<=A;O+=Ee){let ye=E[O];if(ye==null)continue;if(Qt!=null){let ut=Qt[O]??0;if(ye-ut==0)continue;nt=Z(ut,J,C,X)}let Be=k.distr!=2||d!=
null?m[O]:O,Wn=L(Be,k,Q,K),bn=Z(ce(ye,Fe),J,C,X),Ht=te(Wn-Te),xn=te(rt(bn,nt)),dt=te(zt(bn,nt)),kt=xn-dt;if(ye!=null){let ut=ye<0?ee:wn,Pt=ye<0?wn:ee;Vt?($e>0&&
ln[O]!=null&&re(Rn.get(ln[O]),Ht,dt+bt($e/2),he,rt(0,kt-$e),ut,Pt),Zt[O]!=null&&re(vt.get(Zt[O]),Ht,dt+bt($e/2),he,rt(0,kt-$e),ut,Pt)):re(In,Ht,dt+bt($e/2),he,rt(
0,kt-$e),ut,Pt),pe(S,v,O,Ht-$e/2,dt,he+$e,kt)}}return $e>0?lt.stroke=Vt?Rn:In:Vt||(lt._fill=R.width==0?R._fill:R._stroke??R._fill,lt.width=0),lt.fill=Vt?vt:In,lt})}
function df(e,t){let l=ce(t?.alignGaps,0);return(n,s,i,c)=>Nn(n,s,(r,h,d,w,p,b,S,v,$,A,R)=>{[i,c]=ts(d,i,c);let m=r.pxRound,E=H=>m(b(H,w,A,v)),k=H=>m(S(H,p,R,$)),
J,L,Z;w.ori==0?(J=is,Z=cl,L=na):(J=rs,Z=ul,L=la);let K=w.dir*(w.ori==0?1:-1),X=E(h[K==1?i:c]),Q=X,C=[],te=[];for(let H=K==1?i:c;H>=i&&H<=c;H+=K)if(d[H]!=null){let Ee=h[H],
re=E(Ee);C.push(Q=re),te.push(k(d[H]))}let F={stroke:e(C,te,J,Z,L,m),fill:null,clip:null,band:null,gaps:null,flags:rl},G=F.stroke,[q,oe]=yo(n,s);if(r.fill!=null||
q!=0){let H=F.fill=new Path2D(G),ct=r.fillTo(n,s,r.min,r.max,q),Ee=k(ct);Z(H,Q,Ee),Z(H,X,Ee)}if(!r.spanGaps){let H=[];H.push(..._o(h,d,i,c,K,E,l)),F.gaps=H=r.gaps(
n,s,i,c,H),F.clip=os(H,w.ori,v,$,A,R)}return oe!=0&&(F.band=oe==2?[tn(n,s,i,c,G,-1),tn(n,s,i,c,G,1)]:tn(n,s,i,c,G,oe)),F})}function mf(e){return df(pf,e)}function pf(e,t,l,n,s,i){
let c=e.length;if(c<2)return null;let r=new Path2D;if(l(r,e[0],t[0]),c==2)n(r,e[1],t[1]);else{let h=Array(c),d=Array(c-1),w=Array(c-1),p=Array(c-1);for(let b=0;b<
c-1;b++)w[b]=t[b+1]-t[b],p[b]=e[b+1]-e[b],d[b]=w[b]/p[b];h[0]=d[0];for(let b=1;b<c-1;b++)d[b]===0||d[b-1]===0||d[b-1]>0!=d[b]>0?h[b]=0:(h[b]=3*(p[b-1]+p[b])/((2*
p[b]+p[b-1])/d[b-1]+(p[b]+2*p[b-1])/d[b]),isFinite(h[b])||(h[b]=0));h[c-1]=d[c-2];for(let b=0;b<c-1;b++)s(r,e[b]+p[b]/3,t[b]+h[b]*p[b]/3,e[b+1]-p[b]/3,t[b+1]-h[b+
1]*p[b]/3,e[b+1],t[b+1])}return r}var io=new Set;function _r(){for(let e of io)e.syncRect(!0)}al&&($n(Gc,ll,_r),$n(jc,ll,_r,!0),$n(Ql,ll,()=>{Xe.pxRatio=fe}));var gf=ia(),
wf=sa();function vr(e,t,l,n){return(n?[e[0],e[1]].concat(e.slice(2)):[e[0]].concat(e.slice(1))).map((i,c)=>ro(i,c,t,l))}function bf(e,t){return e.map((l,n)=>n==
0?{}:We({},t,l))}function ro(e,t,l,n){return We({},t==0?l:n,e)}function ra(e,t,l){return t==null?ol:[t,l]}var xf=ra;function yf(e,t,l){return t==null?ol:Xl(t,l,
ho,!0)}function aa(e,t,l,n){return t==null?ol:ns(t,l,e.scales[n].log,!1)}var _f=aa;function ca(e,t,l,n){return t==null?ol:fo(t,l,e.scales[n].log,!1)}var vf=ca;function kf(e,t,l,n,s){
let i=rt(er(e),er(t)),c=t-e,r=Bt(s/n*c,l);do{let h=l[r],d=n*h/c;if(d>=s&&i+(h<5?dn.get(h):0)<=17)return[h,d]}while(++r<l.length);return[0,0]}function kr(e){let t,
l;return e=e.replace(/(\d+)px/,(n,s)=>(t=Ve((l=+s)*fe))+"px"),[e,t,l]}function Sf(e){e.show&&[e.font,e.labelFont].forEach(t=>{let l=xe(t[2]*fe,1);t[0]=t[0].replace(
/[0-9.]+px/,l+"px"),t[1]=l})}function Xe(e,t,l){let n={mode:ce(e.mode,1)},s=n.mode;function i(o,a,u,f){let g=a.valToPct(o);return f+u*(a.dir==-1?1-g:g)}function c(o,a,u,f){
let g=a.valToPct(o);return f+u*(a.dir==-1?g:1-g)}function r(o,a,u,f){return a.ori==0?i(o,a,u,f):c(o,a,u,f)}n.valToPosH=i,n.valToPosV=c;let h=!1;n.status=0;let d=n.
root=Lt($c);if(e.id!=null&&(d.id=e.id),wt(d,e.class),e.title){let o=Lt(Dc,d);o.textContent=e.title}let w=Ft("canvas"),p=n.ctx=w.getContext("2d"),b=Lt(Pc,d);$n("\
click",b,o=>{o.target===v&&(ve!=jn||Ae!=Jn)&&Qe.click(n,o)},!0);let S=n.under=Lt(Rc,b);b.appendChild(w);let v=n.over=Lt(Oc,b);e=il(e);let $=+ce(e.pxAlign,1),A=xr(
$);(e.plugins||[]).forEach(o=>{o.opts&&(e=o.opts(n,e)||e)});let R=e.ms||.001,m=n.series=s==1?vr(e.series||[],hr,wr,!1):bf(e.series||[null],gr),E=n.axes=vr(e.axes||
[],fr,mr,!0),k=n.scales={},J=n.bands=e.bands||[];J.forEach(o=>{o.fill=se(o.fill||null),o.dir=ce(o.dir,-1)});let L=s==2?m[1].facets[0].scale:m[0].scale,Z={axes:Qa,
series:Ka},K=(e.drawOrder||["axes","series"]).map(o=>Z[o]);function X(o){let a=o.distr==3?u=>en(u>0?u:o.clamp(n,u,o.min,o.max,o.key)):o.distr==4?u=>Gs(u,o.asinh):
o.distr==100?u=>o.fwd(u):u=>u;return u=>{let f=a(u),{_min:g,_max:y}=o,_=y-g;return(f-g)/_}}function Q(o){let a=k[o];if(a==null){let u=(e.scales||Al)[o]||Al;if(u.
from!=null){Q(u.from);let f=We({},k[u.from],u,{key:o});f.valToPct=X(f),k[o]=f}else{a=k[o]=We({},o==L?Zr:of,u),a.key=o;let f=a.time,g=a.range,y=hn(g);if((o!=L||s==
2&&!f)&&(y&&(g[0]==null||g[1]==null)&&(g={min:g[0]==null?Zi:{mode:1,hard:g[0],soft:g[0]},max:g[1]==null?Zi:{mode:1,hard:g[1],soft:g[1]}},y=!1),!y&&ss(g))){let _=g;
g=(M,T,N)=>T==null?ol:Xl(T,N,_)}a.range=se(g||(f?xf:o==L?a.distr==3?_f:a.distr==4?vf:ra:a.distr==3?aa:a.distr==4?ca:yf)),a.auto=se(y?!1:a.auto),a.clamp=se(a.clamp||
sf),a._min=a._max=null,a.valToPct=X(a)}}}Q("x"),Q("y"),s==1&&m.forEach(o=>{Q(o.scale)}),E.forEach(o=>{Q(o.scale)});for(let o in e.scales)Q(o);let C=k[L],te=C.distr,
F,G;C.ori==0?(wt(d,Lc),F=i,G=c):(wt(d,Nc),F=c,G=i);let q={};for(let o in k){let a=k[o];(a.min!=null||a.max!=null)&&(q[o]={min:a.min,max:a.max},a.min=a.max=null)}
let oe=e.tzDate||(o=>new Date(Ve(o/R))),H=e.fmtDate||go,ct=R==1?Lu(oe):Pu(oe),Ee=ar(oe,rr(R==1?$u:Du,H)),re=ur(oe,cr(Ou,H)),pe=[],ne=n.legend=We({},Fu,e.legend),
B=n.cursor=We({},Uu,{drag:{y:s==2}},e.cursor),Fe=ne.show,nt=B.show,Te=ne.markers;ne.idxs=pe,Te.width=se(Te.width),Te.dash=se(Te.dash),Te.stroke=se(Te.stroke),Te.
fill=se(Te.fill);let he,Dt,ht,$e=[],Vt=[],Zt,vt=!1,ln={};if(ne.live){let o=m[1]?m[1].values:null;vt=o!=null,Zt=vt?o(n,1,0):{_:0};for(let a in Zt)ln[a]=co}if(Fe)
if(he=Ft("table",Vc,d),ht=Ft("tbody",null,he),ne.mount(n,he),vt){Dt=Ft("thead",null,he,ht);let o=Ft("tr",null,Dt);Ft("th",null,o);for(var Rn in Zt)Ft("th",Wi,o).
textContent=Rn}else wt(he,qc),ne.live&&wt(he,Hc);let On={show:!0},fl={show:!1};function Pl(o,a){if(a==0&&(vt||!ne.live||s==2))return ol;let u=[],f=Ft("tr",Uc,ht,
ht.childNodes[a]);wt(f,o.class),o.show||wt(f,Cn);let g=Ft("th",null,f);if(Te.show){let M=Lt(Yc,g);if(a>0){let T=Te.width(n,a);T&&(M.style.border=T+"px "+Te.dash(
n,a)+" "+Te.stroke(n,a)),M.style.background=Te.fill(n,a)}}let y=Lt(Wi,g);o.label instanceof HTMLElement?y.appendChild(o.label):y.textContent=o.label,a>0&&(Te.show||
(y.style.color=o.width>0?Te.stroke(n,a):Te.fill(n,a)),lt("click",g,M=>{if(B._lock)return;_n(M);let T=m.indexOf(o);if((M.ctrlKey||M.metaKey)!=ne.isolate){let N=m.
some((D,I)=>I>0&&I!=T&&D.show);m.forEach((D,I)=>{I>0&&Ut(I,N?I==T?On:fl:On,!0,Ie.setSeries)})}else Ut(T,{show:!o.show},!0,Ie.setSeries)},!1),Bn&&lt(Vi,g,M=>{B._lock||
(_n(M),Ut(m.indexOf(o),Qn,!0,Ie.setSeries))},!1));for(var _ in Zt){let M=Ft("td",Kc,f);M.textContent="--",u.push(M)}return[f,u]}let gn=new Map;function lt(o,a,u,f=!0){
let g=gn.get(a)||{},y=B.bind[o](n,a,u,f);y&&($n(o,a,g[o]=y),gn.set(a,g))}function In(o,a,u){let f=gn.get(a)||{};for(let g in f)(o==null||g==o)&&(to(g,a,f[g]),delete f[g]);
o==null&&gn.delete(a)}let Qt=0,wn=0,ee=0,O=0,ye=0,Be=0,Wn=ye,bn=Be,Ht=ee,xn=O,dt=0,kt=0,ut=0,Pt=0;n.bbox={};let ms=!1,Rl=!1,Fn=!1,yn=!1,Ol=!1,St=!1;function ps(o,a,u){
(u||o!=n.width||a!=n.height)&&Oo(o,a),Un(!1),Fn=!0,Rl=!0,Yn()}function Oo(o,a){n.width=Qt=ee=o,n.height=wn=O=a,ye=Be=0,Ba(),za();let u=n.bbox;dt=u.left=Tn(ye*fe,
.5),kt=u.top=Tn(Be*fe,.5),ut=u.width=Tn(ee*fe,.5),Pt=u.height=Tn(O*fe,.5)}let Ia=3;function Wa(){let o=!1,a=0;for(;!o;){a++;let u=Ja(a),f=Za(a);o=a==Ia||u&&f,o||
(Oo(n.width,n.height),Rl=!0)}}function Fa({width:o,height:a}){ps(o,a)}n.setSize=Fa;function Ba(){let o=!1,a=!1,u=!1,f=!1;E.forEach((g,y)=>{if(g.show&&g._show){let{
side:_,_size:M}=g,T=_%2,N=g.label!=null?g.labelSize:0,D=M+N;D>0&&(T?(ee-=D,_==3?(ye+=D,f=!0):u=!0):(O-=D,_==0?(Be+=D,o=!0):a=!0))}}),vn[0]=o,vn[1]=u,vn[2]=a,vn[3]=
f,ee-=sn[1]+sn[3],ye+=sn[3],O-=sn[2]+sn[0],Be+=sn[0]}function za(){let o=ye+ee,a=Be+O,u=ye,f=Be;function g(y,_){switch(y){case 1:return o+=_,o-_;case 2:return a+=
_,a-_;case 3:return u-=_,u+_;case 0:return f-=_,f+_}}E.forEach((y,_)=>{if(y.show&&y._show){let M=y.side;y._pos=g(M,y._size),y.label!=null&&(y._lpos=g(M,y.labelSize))}})}
if(B.dataIdx==null){let o=B.hover,a=o.skip=new Set(o.skip??[]);a.add(void 0);let u=o.prox=se(o.prox),f=o.bias??=0;B.dataIdx=(g,y,_,M)=>{if(y==0)return _;let T=_,
N=u(g,y,_,M)??be,D=N>=0&&N<be,I=C.ori==0?ee:O,j=B.left,ue=t[0],ae=t[y];if(a.has(ae[_])){T=null;let le=null,U=null,z;if(f==0||f==-1)for(z=_;le==null&&z-- >0;)a.has(
ae[z])||(le=z);if(f==0||f==1)for(z=_;U==null&&z++<ae.length;)a.has(ae[z])||(U=z);if(le!=null||U!=null)if(D){let Se=le==null?-1/0:F(ue[le],C,I,0),Ne=U==null?1/0:
F(ue[U],C,I,0),je=j-Se,ge=Ne-j;je<=ge?je<=N&&(T=le):ge<=N&&(T=U)}else T=U==null?le:le==null?U:_-le<=U-_?le:U}else D&&He(j-F(ue[_],C,I,0))>N&&(T=null);return T}}
let _n=o=>{B.event=o};B.idxs=pe,B._lock=!1;let et=B.points;et.show=se(et.show),et.size=se(et.size),et.stroke=se(et.stroke),et.width=se(et.width),et.fill=se(et.fill);
let qt=n.focus=We({},e.focus||{alpha:.3},B.focus),Bn=qt.prox>=0,zn=Bn&&et.one,Mt=[],Vn=[],Hn=[];function Io(o,a){let u=et.show(n,a);if(u instanceof HTMLElement)
return wt(u,zc),wt(u,o.class),Jt(u,-10,-10,ee,O),v.insertBefore(u,Mt[a]),u}function Wo(o,a){if(s==1||a>0){let u=s==1&&k[o.scale].time,f=o.value;o.value=u?lr(f)?
ur(oe,cr(f,H)):f||re:f||tf,o.label=o.label||(u?Ku:Yu)}if(zn||a>0){o.width=o.width==null?1:o.width,o.paths=o.paths||gf||ou,o.fillTo=se(o.fillTo||rf),o.pxAlign=+ce(
o.pxAlign,$),o.pxRound=xr(o.pxAlign),o.stroke=se(o.stroke||null),o.fill=se(o.fill||null),o._stroke=o._fill=o._paths=o._focus=null;let u=nf(rt(1,o.width),1),f=o.
points=We({},{size:u,width:rt(1,u*.2),stroke:o.stroke,space:u*2,paths:wf,_stroke:null,_fill:null},o.points);f.show=se(f.show),f.filter=se(f.filter),f.fill=se(f.
fill),f.stroke=se(f.stroke),f.paths=se(f.paths),f.pxAlign=o.pxAlign}if(Fe){let u=Pl(o,a);$e.splice(a,0,u[0]),Vt.splice(a,0,u[1]),ne.values.push(null)}if(nt){pe.
splice(a,0,null);let u=null;zn?a==0&&(u=Io(o,a)):a>0&&(u=Io(o,a)),Mt.splice(a,0,u),Vn.splice(a,0,0),Hn.splice(a,0,0)}Ge("addSeries",a)}function Va(o,a){a=a??m.length,
o=s==1?ro(o,a,hr,wr):ro(o,a,{},gr),m.splice(a,0,o),Wo(m[a],a)}n.addSeries=Va;function Ha(o){if(m.splice(o,1),Fe){ne.values.splice(o,1),Vt.splice(o,1);let a=$e.splice(
o,1)[0];In(null,a.firstChild),a.remove()}nt&&(pe.splice(o,1),Mt.splice(o,1)[0].remove(),Vn.splice(o,1),Hn.splice(o,1)),Ge("delSeries",o)}n.delSeries=Ha;let vn=[
!1,!1,!1,!1];function qa(o,a){if(o._show=o.show,o.show){let u=o.side%2,f=k[o.scale];f==null&&(o.scale=u?m[1].scale:L,f=k[o.scale]);let g=f.time;o.size=se(o.size),
o.space=se(o.space),o.rotate=se(o.rotate),hn(o.incrs)&&o.incrs.forEach(_=>{!dn.has(_)&&dn.set(_,Nr(_))}),o.incrs=se(o.incrs||(f.distr==2?Tu:g?R==1?Cu:Nu:An)),o.
splits=se(o.splits||(g&&f.distr==1?ct:f.distr==3?lo:f.distr==4?Ju:ju)),o.stroke=se(o.stroke),o.grid.stroke=se(o.grid.stroke),o.ticks.stroke=se(o.ticks.stroke),o.
border.stroke=se(o.border.stroke);let y=o.values;o.values=hn(y)&&!hn(y[0])?se(y):g?hn(y)?ar(oe,rr(y,H)):lr(y)?Ru(oe,y):y||Ee:y||Gu,o.filter=se(o.filter||(f.distr>=
3&&f.log==10?Xu:f.distr==3&&f.log==2?ef:$r)),o.font=kr(o.font),o.labelFont=kr(o.labelFont),o._size=o.size(n,null,a,0),o._space=o._rotate=o._incrs=o._found=o._splits=
o._values=null,o._size>0&&(vn[a]=!0,o._el=Lt(Ic,b))}}function hl(o,a,u,f){let[g,y,_,M]=u,T=a%2,N=0;return T==0&&(M||y)&&(N=a==0&&!g||a==2&&!_?Ve(fr.size/3):0),T==
1&&(g||_)&&(N=a==1&&!y||a==3&&!M?Ve(mr.size/2):0),N}let Fo=n.padding=(e.padding||[hl,hl,hl,hl]).map(o=>se(ce(o,hl))),sn=n._padding=Fo.map((o,a)=>o(n,a,vn,0)),Ze,
qe=null,Ue=null,Il=s==1?m[0].idxs:null,Rt=null,dl=!1;function Bo(o,a){if(t=o??[],n.data=n._data=t,s==2){Ze=0;for(let u=1;u<m.length;u++)Ze+=t[u][0].length}else{
t.length==0&&(n.data=n._data=t=[[]]),Rt=t[0],Ze=Rt.length;let u=t;if(te==2){u=t.slice();let f=u[0]=Array(Ze);for(let g=0;g<Ze;g++)f[g]=g}n._data=t=u}if(Un(!0),Ge(
"setData"),te==2&&(Fn=!0),a!==!1){let u=C;u.auto(n,dl)?gs():rn(L,u.min,u.max),yn=yn||B.left>=0,St=!0,Yn()}}n.setData=Bo;function gs(){dl=!0;let o,a;s==1&&(Ze>0?
(qe=Il[0]=0,Ue=Il[1]=Ze-1,o=t[0][qe],a=t[0][Ue],te==2?(o=qe,a=Ue):o==a&&(te==3?[o,a]=ns(o,o,C.log,!1):te==4?[o,a]=fo(o,o,C.log,!1):C.time?a=o+Ve(86400/R):[o,a]=
Xl(o,a,ho,!0))):(qe=Il[0]=o=null,Ue=Il[1]=a=null)),rn(L,o,a)}let Wl,qn,ws,bs,xs,ys,_s,vs,ks,ft;function zo(o,a,u,f,g,y){o??=Bi,u??=po,f??="butt",g??=Bi,y??="rou\
nd",o!=Wl&&(p.strokeStyle=Wl=o),g!=qn&&(p.fillStyle=qn=g),a!=ws&&(p.lineWidth=ws=a),y!=xs&&(p.lineJoin=xs=y),f!=ys&&(p.lineCap=ys=f),u!=bs&&p.setLineDash(bs=u)}
function Vo(o,a,u,f){a!=qn&&(p.fillStyle=qn=a),o!=_s&&(p.font=_s=o),u!=vs&&(p.textAlign=vs=u),f!=ks&&(p.textBaseline=ks=f)}function Ss(o,a,u,f,g=0){if(f.length>
0&&o.auto(n,dl)&&(a==null||a.min==null)){let y=ce(qe,0),_=ce(Ue,f.length-1),M=u.min==null?Xc(f,y,_,g,o.distr==3):[u.min,u.max];o.min=zt(o.min,u.min=M[0]),o.max=
rt(o.max,u.max=M[1])}}let Ho={min:null,max:null};function Ua(){for(let f in k){let g=k[f];q[f]==null&&(g.min==null||q[L]!=null&&g.auto(n,dl))&&(q[f]=Ho)}for(let f in k){
let g=k[f];q[f]==null&&g.from!=null&&q[g.from]!=null&&(q[f]=Ho)}q[L]!=null&&Un(!0);let o={};for(let f in q){let g=q[f];if(g!=null){let y=o[f]=il(k[f],au);if(g.min!=
null)We(y,g);else if(f!=L||s==2)if(Ze==0&&y.from==null){let _=y.range(n,null,null,f);y.min=_[0],y.max=_[1]}else y.min=be,y.max=-be}}if(Ze>0){m.forEach((f,g)=>{if(s==
1){let y=f.scale,_=q[y];if(_==null)return;let M=o[y];if(g==0){let T=M.range(n,M.min,M.max,y);M.min=T[0],M.max=T[1],qe=Bt(M.min,t[0]),Ue=Bt(M.max,t[0]),Ue-qe>1&&
(t[0][qe]<M.min&&qe++,t[0][Ue]>M.max&&Ue--),f.min=Rt[qe],f.max=Rt[Ue]}else f.show&&f.auto&&Ss(M,_,f,t[g],f.sorted);f.idxs[0]=qe,f.idxs[1]=Ue}else if(g>0&&f.show&&
f.auto){let[y,_]=f.facets,M=y.scale,T=_.scale,[N,D]=t[g],I=o[M],j=o[T];I!=null&&Ss(I,q[M],y,N,y.sorted),j!=null&&Ss(j,q[T],_,D,_.sorted),f.min=_.min,f.max=_.max}});
for(let f in o){let g=o[f],y=q[f];if(g.from==null&&(y==null||y.min==null)){let _=g.range(n,g.min==be?null:g.min,g.max==-be?null:g.max,f);g.min=_[0],g.max=_[1]}}}
for(let f in o){let g=o[f];if(g.from!=null){let y=o[g.from];if(y.min==null)g.min=g.max=null;else{let _=g.range(n,y.min,y.max,f);g.min=_[0],g.max=_[1]}}}let a={},
u=!1;for(let f in o){let g=o[f],y=k[f];if(y.min!=g.min||y.max!=g.max){y.min=g.min,y.max=g.max;let _=y.distr;y._min=_==3?en(y.min):_==4?Gs(y.min,y.asinh):_==100?
y.fwd(y.min):y.min,y._max=_==3?en(y.max):_==4?Gs(y.max,y.asinh):_==100?y.fwd(y.max):y.max,a[f]=u=!0}}if(u){m.forEach((f,g)=>{s==2?g>0&&a.y&&(f._paths=null):a[f.
scale]&&(f._paths=null)});for(let f in a)Fn=!0,Ge("setScale",f);nt&&B.left>=0&&(yn=St=!0)}for(let f in q)q[f]=null}function Ya(o){let a=no(qe-1,0,Ze-1),u=no(Ue+
1,0,Ze-1);for(;o[a]==null&&a>0;)a--;for(;o[u]==null&&u<Ze-1;)u++;return[a,u]}function Ka(){if(Ze>0){let o=m.some(a=>a._focus)&&ft!=qt.alpha;o&&(p.globalAlpha=ft=
qt.alpha),m.forEach((a,u)=>{if(u>0&&a.show&&(qo(u,!1),qo(u,!0),a._paths==null)){let f=ft;ft!=a.alpha&&(p.globalAlpha=ft=a.alpha);let g=s==2?[0,t[u][0].length-1]:
Ya(t[u]);a._paths=a.paths(n,u,g[0],g[1]),ft!=f&&(p.globalAlpha=ft=f)}}),m.forEach((a,u)=>{if(u>0&&a.show){let f=ft;ft!=a.alpha&&(p.globalAlpha=ft=a.alpha),a._paths!=
null&&Uo(u,!1);{let g=a._paths!=null?a._paths.gaps:null,y=a.points.show(n,u,qe,Ue,g),_=a.points.filter(n,u,y,g);(y||_)&&(a.points._paths=a.points.paths(n,u,qe,Ue,
_),Uo(u,!0))}ft!=f&&(p.globalAlpha=ft=f),Ge("drawSeries",u)}}),o&&(p.globalAlpha=ft=1)}}function qo(o,a){let u=a?m[o].points:m[o];u._stroke=u.stroke(n,o),u._fill=
u.fill(n,o)}function Uo(o,a){let u=a?m[o].points:m[o],{stroke:f,fill:g,clip:y,flags:_,_stroke:M=u._stroke,_fill:T=u._fill,_width:N=u.width}=u._paths;N=xe(N*fe,3);
let D=null,I=N%2/2;a&&T==null&&(T=N>0?"#fff":M);let j=u.pxAlign==1&&I>0;if(j&&p.translate(I,I),!a){let ue=dt-N/2,ae=kt-N/2,le=ut+N,U=Pt+N;D=new Path2D,D.rect(ue,
ae,le,U)}a?Ms(M,N,u.dash,u.cap,T,f,g,_,y):Ga(o,M,N,u.dash,u.cap,T,f,g,_,D,y),j&&p.translate(-I,-I)}function Ga(o,a,u,f,g,y,_,M,T,N,D){let I=!1;T!=0&&J.forEach((j,ue)=>{
if(j.series[0]==o){let ae=m[j.series[1]],le=t[j.series[1]],U=(ae._paths||Al).band;hn(U)&&(U=j.dir==1?U[0]:U[1]);let z,Se=null;ae.show&&U&&tu(le,qe,Ue)?(Se=j.fill(
n,ue)||y,z=ae._paths.clip):U=null,Ms(a,u,f,g,Se,_,M,T,N,D,z,U),I=!0}}),I||Ms(a,u,f,g,y,_,M,T,N,D)}let Yo=rl|oo;function Ms(o,a,u,f,g,y,_,M,T,N,D,I){zo(o,a,u,f,g),
(T||N||I)&&(p.save(),T&&p.clip(T),N&&p.clip(N)),I?(M&Yo)==Yo?(p.clip(I),D&&p.clip(D),Bl(g,_),Fl(o,y,a)):M&oo?(Bl(g,_),p.clip(I),Fl(o,y,a)):M&rl&&(p.save(),p.clip(
I),D&&p.clip(D),Bl(g,_),p.restore(),Fl(o,y,a)):(Bl(g,_),Fl(o,y,a)),(T||N||I)&&p.restore()}function Fl(o,a,u){u>0&&(a instanceof Map?a.forEach((f,g)=>{p.strokeStyle=
Wl=g,p.stroke(f)}):a!=null&&o&&p.stroke(a))}function Bl(o,a){a instanceof Map?a.forEach((u,f)=>{p.fillStyle=qn=f,p.fill(u)}):a!=null&&o&&p.fill(a)}function ja(o,a,u,f){
let g=E[o],y;if(f<=0)y=[0,0];else{let _=g._space=g.space(n,o,a,u,f),M=g._incrs=g.incrs(n,o,a,u,f,_);y=kf(a,u,M,f,_)}return g._found=y}function Es(o,a,u,f,g,y,_,M,T,N){
let D=_%2/2;$==1&&p.translate(D,D),zo(M,_,T,N,M),p.beginPath();let I,j,ue,ae,le=g+(f==0||f==3?-y:y);u==0?(j=g,ae=le):(I=g,ue=le);for(let U=0;U<o.length;U++)a[U]!=
null&&(u==0?I=ue=o[U]:j=ae=o[U],p.moveTo(I,j),p.lineTo(ue,ae));p.stroke(),$==1&&p.translate(-D,-D)}function Ja(o){let a=!0;return E.forEach((u,f)=>{if(!u.show)return;
let g=k[u.scale];if(g.min==null){u._show&&(a=!1,u._show=!1,Un(!1));return}else u._show||(a=!1,u._show=!0,Un(!1));let y=u.side,_=y%2,{min:M,max:T}=g,[N,D]=ja(f,M,
T,_==0?ee:O);if(D==0)return;let I=g.distr==2,j=u._splits=u.splits(n,f,M,T,N,D,I),ue=g.distr==2?j.map(z=>Rt[z]):j,ae=g.distr==2?Rt[j[1]]-Rt[j[0]]:N,le=u._values=
u.values(n,u.filter(n,ue,f,D,ae),f,D,ae);u._rotate=y==2?u.rotate(n,le,f,D):0;let U=u._size;u._size=Nt(u.size(n,le,f,o)),U!=null&&u._size!=U&&(a=!1)}),a}function Za(o){
let a=!0;return Fo.forEach((u,f)=>{let g=u(n,f,vn,o);g!=sn[f]&&(a=!1),sn[f]=g}),a}function Qa(){for(let o=0;o<E.length;o++){let a=E[o];if(!a.show||!a._show)continue;
let u=a.side,f=u%2,g,y,_=a.stroke(n,o),M=u==0||u==3?-1:1,[T,N]=a._found;if(a.label!=null){let ot=a.labelGap*M,gt=Ve((a._lpos+ot)*fe);Vo(a.labelFont[0],_,"center",
u==2?"top":Fi),p.save(),f==1?(g=y=0,p.translate(gt,Ve(kt+Pt/2)),p.rotate((u==3?-Zl:Zl)/2)):(g=Ve(dt+ut/2),y=gt);let Mn=Ar(a.label)?a.label(n,o,T,N):a.label;p.fillText(
Mn,g,y),p.restore()}if(N==0)continue;let D=k[a.scale],I=f==0?ut:Pt,j=f==0?dt:kt,ue=a._splits,ae=D.distr==2?ue.map(ot=>Rt[ot]):ue,le=D.distr==2?Rt[ue[1]]-Rt[ue[0]]:
T,U=a.ticks,z=a.border,Se=U.show?U.size:0,Ne=Ve(Se*fe),je=Ve((a.alignTo==2?a._size-Se-a.gap:a.gap)*fe),ge=a._rotate*-Zl/180,De=A(a._pos*fe),mt=(Ne+je)*M,st=De+mt;
y=f==0?st:0,g=f==1?st:0;let Et=a.font[0],Ot=a.align==1?tl:a.align==2?Us:ge>0?tl:ge<0?Us:f==0?"center":u==3?Us:tl,Kt=ge||f==1?"middle":u==2?"top":Fi;Vo(Et,_,Ot,Kt);
let pt=a.font[1]*a.lineGap,Tt=ue.map(ot=>A(r(ot,D,I,j))),It=a._values;for(let ot=0;ot<It.length;ot++){let gt=It[ot];if(gt!=null){f==0?g=Tt[ot]:y=Tt[ot],gt=""+gt;
let Mn=gt.indexOf(`
`)==-1?[gt]:gt.split(/\n/gm);for(let it=0;it<Mn.length;it++){let fi=Mn[it];ge?(p.save(),p.translate(g,y+it*pt),p.rotate(ge),p.fillText(fi,0,0),p.restore()):p.fillText(
fi,g,y+it*pt)}}}U.show&&Es(Tt,U.filter(n,ae,o,N,le),f,u,De,Ne,xe(U.width*fe,3),U.stroke(n,o),U.dash,U.cap);let Gt=a.grid;Gt.show&&Es(Tt,Gt.filter(n,ae,o,N,le),f,
f==0?2:1,f==0?kt:dt,f==0?Pt:ut,xe(Gt.width*fe,3),Gt.stroke(n,o),Gt.dash,Gt.cap),z.show&&Es([De],[1],f==0?1:0,f==0?1:2,f==1?kt:dt,f==1?Pt:ut,xe(z.width*fe,3),z.stroke(
n,o),z.dash,z.cap)}Ge("drawAxes")}function Un(o){m.forEach((a,u)=>{u>0&&(a._paths=null,o&&(s==1?(a.min=null,a.max=null):a.facets.forEach(f=>{f.min=null,f.max=null})))})}
let zl=!1,Ts=!1,ml=[];function Xa(){Ts=!1;for(let o=0;o<ml.length;o++)Ge(...ml[o]);ml.length=0}function Yn(){zl||(pu(Ko),zl=!0)}function ec(o,a=!1){zl=!0,Ts=a,o(
n),Ko(),a&&ml.length>0&&queueMicrotask(Xa)}n.batch=ec;function Ko(){if(ms&&(Ua(),ms=!1),Fn&&(Wa(),Fn=!1),Rl){if(Me(S,tl,ye),Me(S,"top",Be),Me(S,Sl,ee),Me(S,Ml,O),
Me(v,tl,ye),Me(v,"top",Be),Me(v,Sl,ee),Me(v,Ml,O),Me(b,Sl,Qt),Me(b,Ml,wn),w.width=Ve(Qt*fe),w.height=Ve(wn*fe),E.forEach(({_el:o,_show:a,_size:u,_pos:f,side:g})=>{
if(o!=null)if(a){let y=g===3||g===0?u:0,_=g%2==1;Me(o,_?"left":"top",f-y),Me(o,_?"width":"height",u),Me(o,_?"top":"left",_?Be:ye),Me(o,_?"height":"width",_?O:ee),
eo(o,Cn)}else wt(o,Cn)}),Wl=qn=ws=xs=ys=_s=vs=ks=bs=null,ft=1,wl(!0),ye!=Wn||Be!=bn||ee!=Ht||O!=xn){Un(!1);let o=ee/Ht,a=O/xn;if(nt&&!yn&&B.left>=0){B.left*=o,B.
top*=a,Kn&&Jt(Kn,Ve(B.left),0,ee,O),Gn&&Jt(Gn,0,Ve(B.top),ee,O);for(let u=0;u<Mt.length;u++){let f=Mt[u];f!=null&&(Vn[u]*=o,Hn[u]*=a,Jt(f,Nt(Vn[u]),Nt(Hn[u]),ee,
O))}}if(ke.show&&!Ol&&ke.left>=0&&ke.width>0){ke.left*=o,ke.width*=o,ke.top*=a,ke.height*=a;for(let u in Ds)Me(Zn,u,ke[u])}Wn=ye,bn=Be,Ht=ee,xn=O}Ge("setSize"),
Rl=!1}Qt>0&&wn>0&&(p.clearRect(0,0,w.width,w.height),Ge("drawClear"),K.forEach(o=>o()),Ge("draw")),ke.show&&Ol&&(Vl(ke),Ol=!1),nt&&yn&&(Sn(null,!0,!1),yn=!1),ne.
show&&ne.live&&St&&(Ls(),St=!1),h||(h=!0,n.status=1,Ge("ready")),dl=!1,zl=!1}n.redraw=(o,a)=>{Fn=a||!1,o!==!1?rn(L,C.min,C.max):Yn()};function As(o,a){let u=k[o];
if(u.from==null){if(Ze==0){let f=u.range(n,a.min,a.max,o);a.min=f[0],a.max=f[1]}if(a.min>a.max){let f=a.min;a.min=a.max,a.max=f}if(Ze>1&&a.min!=null&&a.max!=null&&
a.max-a.min<1e-16)return;o==L&&u.distr==2&&Ze>0&&(a.min=Bt(a.min,t[0]),a.max=Bt(a.max,t[0]),a.min==a.max&&a.max++),q[o]=a,ms=!0,Yn()}}n.setScale=As;let Cs,$s,Kn,
Gn,Go,jo,jn,Jn,Jo,Zo,ve,Ae,on=!1,Qe=B.drag,Ye=Qe.x,Ke=Qe.y;nt&&(B.x&&(Cs=Lt(Fc,v)),B.y&&($s=Lt(Bc,v)),C.ori==0?(Kn=Cs,Gn=$s):(Kn=$s,Gn=Cs),ve=B.left,Ae=B.top);let ke=n.
select=We({show:!0,over:!0,left:0,width:0,top:0,height:0},e.select),Zn=ke.show?Lt(Wc,ke.over?v:S):null;function Vl(o,a){if(ke.show){for(let u in o)ke[u]=o[u],u in
Ds&&Me(Zn,u,o[u]);a!==!1&&Ge("setSelect")}}n.setSelect=Vl;function tc(o){if(m[o].show)Fe&&eo($e[o],Cn);else if(Fe&&wt($e[o],Cn),nt){let u=zn?Mt[0]:Mt[o];u!=null&&
Jt(u,-10,-10,ee,O)}}function rn(o,a,u){As(o,{min:a,max:u})}function Ut(o,a,u,f){a.focus!=null&&ic(o),a.show!=null&&m.forEach((g,y)=>{y>0&&(o==y||o==null)&&(g.show=
a.show,tc(y),s==2?(rn(g.facets[0].scale,null,null),rn(g.facets[1].scale,null,null)):rn(g.scale,null,null),Yn())}),u!==!1&&Ge("setSeries",o,a),f&&bl("setSeries",
n,o,a)}n.setSeries=Ut;function nc(o,a){We(J[o],a)}function lc(o,a){o.fill=se(o.fill||null),o.dir=ce(o.dir,-1),a=a??J.length,J.splice(a,0,o)}function sc(o){o==null?
J.length=0:J.splice(o,1)}n.addBand=lc,n.setBand=nc,n.delBand=sc;function oc(o,a){m[o].alpha=a,nt&&Mt[o]!=null&&(Mt[o].style.opacity=a),Fe&&$e[o]&&($e[o].style.opacity=
a)}let Xt,an,kn,Qn={focus:!0};function ic(o){if(o!=kn){let a=o==null,u=qt.alpha!=1;m.forEach((f,g)=>{if(s==1||g>0){let y=a||g==0||g==o;f._focus=a?null:y,u&&oc(g,
y?1:qt.alpha)}}),kn=o,u&&Yn()}}Fe&&Bn&&lt(Hi,he,o=>{B._lock||(_n(o),kn!=null&&Ut(null,Qn,!0,Ie.setSeries))});function Yt(o,a,u){let f=k[a];u&&(o=o/fe-(f.ori==1?
Be:ye));let g=ee;f.ori==1&&(g=O,o=g-o),f.dir==-1&&(o=g-o);let y=f._min,_=f._max,M=o/g,T=y+(_-y)*M,N=f.distr;return N==3?sl(10,T):N==4?lu(T,f.asinh):N==100?f.bwd(
T):T}function rc(o,a){let u=Yt(o,L,a);return Bt(u,t[0],qe,Ue)}n.valToIdx=o=>Bt(o,t[0]),n.posToIdx=rc,n.posToVal=Yt,n.valToPos=(o,a,u)=>k[a].ori==0?i(o,k[a],u?ut:
ee,u?dt:0):c(o,k[a],u?Pt:O,u?kt:0),n.setCursor=(o,a,u)=>{ve=o.left,Ae=o.top,Sn(null,a,u)};function Qo(o,a){Me(Zn,tl,ke.left=o),Me(Zn,Sl,ke.width=a)}function Xo(o,a){
Me(Zn,"top",ke.top=o),Me(Zn,Ml,ke.height=a)}let pl=C.ori==0?Qo:Xo,gl=C.ori==1?Qo:Xo;function ac(){if(Fe&&ne.live)for(let o=s==2?1:0;o<m.length;o++){if(o==0&&vt)
continue;let a=ne.values[o],u=0;for(let f in a)Vt[o][u++].firstChild.nodeValue=a[f]}}function Ls(o,a){if(o!=null&&(o.idxs?o.idxs.forEach((u,f)=>{pe[f]=u}):ru(o.
idx)||pe.fill(o.idx),ne.idx=pe[0]),Fe&&ne.live){for(let u=0;u<m.length;u++)(u>0||s==1&&!vt)&&cc(u,pe[u]);ac()}St=!1,a!==!1&&Ge("setLegend")}n.setLegend=Ls;function cc(o,a){
let u=m[o],f=o==0&&te==2?Rt:t[o],g;vt?g=u.values(n,o,a)??ln:(g=u.value(n,a==null?null:f[a],o,a),g=g==null?ln:{_:g}),ne.values[o]=g}function Sn(o,a,u){Jo=ve,Zo=Ae,
[ve,Ae]=B.move(n,ve,Ae),B.left=ve,B.top=Ae,nt&&(Kn&&Jt(Kn,Ve(ve),0,ee,O),Gn&&Jt(Gn,0,Ve(Ae),ee,O));let f,g=qe>Ue;Xt=be,an=null;let y=C.ori==0?ee:O,_=C.ori==1?ee:
O;if(ve<0||Ze==0||g){f=B.idx=null;for(let M=0;M<m.length;M++){let T=Mt[M];T!=null&&Jt(T,-10,-10,ee,O)}Bn&&Ut(null,Qn,!0,o==null&&Ie.setSeries),ne.live&&(pe.fill(
f),St=!0)}else{let M,T,N;s==1&&(M=C.ori==0?ve:Ae,T=Yt(M,L),f=B.idx=Bt(T,t[0],qe,Ue),N=F(t[0][f],C,y,0));let D=-10,I=-10,j=0,ue=0,ae=!0,le="",U="";for(let z=s==2?
1:0;z<m.length;z++){let Se=m[z],Ne=pe[z],je=Ne==null?null:s==1?t[z][Ne]:t[z][1][Ne],ge=B.dataIdx(n,z,f,T),De=ge==null?null:s==1?t[z][ge]:t[z][1][ge];if(St=St||De!=
je||ge!=Ne,pe[z]=ge,z>0&&Se.show){let mt=ge==null?-10:ge==f?N:F(s==1?t[0][ge]:t[z][0][ge],C,y,0),st=De==null?-10:G(De,s==1?k[Se.scale]:k[Se.facets[1].scale],_,0);
if(Bn&&De!=null){let Et=C.ori==1?ve:Ae,Ot=He(qt.dist(n,z,ge,st,Et));if(Ot<Xt){let Kt=qt.bias;if(Kt!=0){let pt=Yt(Et,Se.scale),Tt=De>=0?1:-1,It=pt>=0?1:-1;It==Tt&&
(It==1?Kt==1?De>=pt:De<=pt:Kt==1?De<=pt:De>=pt)&&(Xt=Ot,an=z)}else Xt=Ot,an=z}}if(St||zn){let Et,Ot;C.ori==0?(Et=mt,Ot=st):(Et=st,Ot=mt);let Kt,pt,Tt,It,Gt,ot,gt=!0,
Mn=et.bbox;if(Mn!=null){gt=!1;let it=Mn(n,z);Tt=it.left,It=it.top,Kt=it.width,pt=it.height}else Tt=Et,It=Ot,Kt=pt=et.size(n,z);if(ot=et.fill(n,z),Gt=et.stroke(n,
z),zn)z==an&&Xt<=qt.prox&&(D=Tt,I=It,j=Kt,ue=pt,ae=gt,le=ot,U=Gt);else{let it=Mt[z];it!=null&&(Vn[z]=Tt,Hn[z]=It,Ji(it,Kt,pt,gt),Gi(it,ot,Gt),Jt(it,Nt(Tt),Nt(It),
ee,O))}}}}if(zn){let z=qt.prox,Se=kn==null?Xt<=z:Xt>z||an!=kn;if(St||Se){let Ne=Mt[0];Ne!=null&&(Vn[0]=D,Hn[0]=I,Ji(Ne,j,ue,ae),Gi(Ne,le,U),Jt(Ne,Nt(D),Nt(I),ee,
O))}}}if(ke.show&&on)if(o!=null){let[M,T]=Ie.scales,[N,D]=Ie.match,[I,j]=o.cursor.sync.scales,ue=o.cursor.drag;if(Ye=ue._x,Ke=ue._y,Ye||Ke){let{left:ae,top:le,width:U,
height:z}=o.select,Se=o.scales[I].ori,Ne=o.posToVal,je,ge,De,mt,st,Et=M!=null&&N(M,I),Ot=T!=null&&D(T,j);Et&&Ye?(Se==0?(je=ae,ge=U):(je=le,ge=z),De=k[M],mt=F(Ne(
je,I),De,y,0),st=F(Ne(je+ge,I),De,y,0),pl(zt(mt,st),He(st-mt))):pl(0,y),Ot&&Ke?(Se==1?(je=ae,ge=U):(je=le,ge=z),De=k[T],mt=G(Ne(je,j),De,_,0),st=G(Ne(je+ge,j),De,
_,0),gl(zt(mt,st),He(st-mt))):gl(0,_)}else Ps()}else{let M=He(Jo-Go),T=He(Zo-jo);if(C.ori==1){let j=M;M=T,T=j}Ye=Qe.x&&M>=Qe.dist,Ke=Qe.y&&T>=Qe.dist;let N=Qe.uni;
N!=null?Ye&&Ke&&(Ye=M>=N,Ke=T>=N,!Ye&&!Ke&&(T>M?Ke=!0:Ye=!0)):Qe.x&&Qe.y&&(Ye||Ke)&&(Ye=Ke=!0);let D,I;Ye&&(C.ori==0?(D=jn,I=ve):(D=Jn,I=Ae),pl(zt(D,I),He(I-D)),
Ke||gl(0,_)),Ke&&(C.ori==1?(D=jn,I=ve):(D=Jn,I=Ae),gl(zt(D,I),He(I-D)),Ye||pl(0,y)),!Ye&&!Ke&&(pl(0,0),gl(0,0))}if(Qe._x=Ye,Qe._y=Ke,o==null){if(u){if(ui!=null){
let[M,T]=Ie.scales;Ie.values[0]=M!=null?Yt(C.ori==0?ve:Ae,M):null,Ie.values[1]=T!=null?Yt(C.ori==1?ve:Ae,T):null}bl(Ys,n,ve,Ae,ee,O,f)}if(Bn){let M=u&&Ie.setSeries,
T=qt.prox;kn==null?Xt<=T&&Ut(an,Qn,!0,M):Xt>T?Ut(null,Qn,!0,M):an!=kn&&Ut(an,Qn,!0,M)}}St&&(ne.idx=f,Ls()),a!==!1&&Ge("setCursor")}let cn=null;Object.defineProperty(
n,"rect",{get(){return cn==null&&wl(!1),cn}});function wl(o=!1){o?cn=null:(cn=v.getBoundingClientRect(),Ge("syncRect",cn))}function ei(o,a,u,f,g,y,_){B._lock||on&&
o!=null&&o.movementX==0&&o.movementY==0||(Ns(o,a,u,f,g,y,_,!1,o!=null),o!=null?Sn(null,!0,!0):Sn(a,!0,!1))}function Ns(o,a,u,f,g,y,_,M,T){if(cn==null&&wl(!1),_n(
o),o!=null)u=o.clientX-cn.left,f=o.clientY-cn.top;else{if(u<0||f<0){ve=-10,Ae=-10;return}let[N,D]=Ie.scales,I=a.cursor.sync,[j,ue]=I.values,[ae,le]=I.scales,[U,
z]=Ie.match,Se=a.axes[0].side%2==1,Ne=C.ori==0?ee:O,je=C.ori==1?ee:O,ge=Se?y:g,De=Se?g:y,mt=Se?f:u,st=Se?u:f;if(ae!=null?u=U(N,ae)?r(j,k[N],Ne,0):-10:u=Ne*(mt/ge),
le!=null?f=z(D,le)?r(ue,k[D],je,0):-10:f=je*(st/De),C.ori==1){let Et=u;u=f,f=Et}}T&&(a==null||a.cursor.event.type==Ys)&&((u<=1||u>=ee-1)&&(u=Tn(u,ee)),(f<=1||f>=
O-1)&&(f=Tn(f,O))),M?(Go=u,jo=f,[jn,Jn]=B.move(n,u,f)):(ve=u,Ae=f)}let Ds={width:0,height:0,left:0,top:0};function Ps(){Vl(Ds,!1)}let ti,ni,li,si;function oi(o,a,u,f,g,y,_){
on=!0,Ye=Ke=Qe._x=Qe._y=!1,Ns(o,a,u,f,g,y,_,!0,!1),o!=null&&(lt(Ks,Qs,ii,!1),bl(zi,n,jn,Jn,ee,O,null));let{left:M,top:T,width:N,height:D}=ke;ti=M,ni=T,li=N,si=D}
function ii(o,a,u,f,g,y,_){on=Qe._x=Qe._y=!1,Ns(o,a,u,f,g,y,_,!1,!0);let{left:M,top:T,width:N,height:D}=ke,I=N>0||D>0,j=ti!=M||ni!=T||li!=N||si!=D;if(I&&j&&Vl(ke),
Qe.setScale&&I&&j){let ue=M,ae=N,le=T,U=D;if(C.ori==1&&(ue=T,ae=D,le=M,U=N),Ye&&rn(L,Yt(ue,L),Yt(ue+ae,L)),Ke)for(let z in k){let Se=k[z];z!=L&&Se.from==null&&Se.
min!=be&&rn(z,Yt(le+U,z),Yt(le,z))}Ps()}else B.lock&&(B._lock=!B._lock,Sn(a,!0,o!=null));o!=null&&(In(Ks,Qs),bl(Ks,n,ve,Ae,ee,O,null))}function uc(o,a,u,f,g,y,_){
if(B._lock)return;_n(o);let M=on;if(on){let T=!0,N=!0,D=10,I,j;C.ori==0?(I=Ye,j=Ke):(I=Ke,j=Ye),I&&j&&(T=ve<=D||ve>=ee-D,N=Ae<=D||Ae>=O-D),I&&T&&(ve=ve<jn?0:ee),
j&&N&&(Ae=Ae<Jn?0:O),Sn(null,!0,!0),on=!1}ve=-10,Ae=-10,pe.fill(null),Sn(null,!0,!0),M&&(on=M)}function ri(o,a,u,f,g,y,_){B._lock||(_n(o),gs(),Ps(),o!=null&&bl(
qi,n,ve,Ae,ee,O,null))}function ai(){E.forEach(Sf),ps(n.width,n.height,!0)}$n(Ql,ll,ai);let Xn={};Xn.mousedown=oi,Xn.mousemove=ei,Xn.mouseup=ii,Xn.dblclick=ri,Xn.
setSeries=(o,a,u,f)=>{let g=Ie.match[2];u=g(n,a,u),u!=-1&&Ut(u,f,!0,!1)},nt&&(lt(zi,v,oi),lt(Ys,v,ei),lt(Vi,v,o=>{_n(o),wl(!1)}),lt(Hi,v,uc),lt(qi,v,ri),io.add(
n),n.syncRect=wl);let Hl=n.hooks=e.hooks||{};function Ge(o,a,u){Ts?ml.push([o,a,u]):o in Hl&&Hl[o].forEach(f=>{f.call(null,n,a,u)})}(e.plugins||[]).forEach(o=>{
for(let a in o.hooks)Hl[a]=(Hl[a]||[]).concat(o.hooks[a])});let ci=(o,a,u)=>u,Ie=We({key:null,setSeries:!1,filters:{pub:tr,sub:tr},scales:[L,m[1]?m[1].scale:null],
match:[nr,nr,ci],values:[null,null]},B.sync);Ie.match.length==2&&Ie.match.push(ci),B.sync=Ie;let ui=Ie.key,Rs=Qr(ui);function bl(o,a,u,f,g,y,_){Ie.filters.pub(o,
a,u,f,g,y,_)&&Rs.pub(o,a,u,f,g,y,_)}Rs.sub(n);function fc(o,a,u,f,g,y,_){Ie.filters.sub(o,a,u,f,g,y,_)&&Xn[o](null,a,u,f,g,y,_)}n.pub=fc;function hc(){Rs.unsub(
n),io.delete(n),gn.clear(),to(Ql,ll,ai),d.remove(),he?.remove(),Ge("destroy")}n.destroy=hc;function Os(){Ge("init",e,t),Bo(t||e.data,!1),q[L]?As(L,q[L]):gs(),Ol=
ke.show&&(ke.width>0||ke.height>0),yn=St=!0,ps(e.width,e.height)}return m.forEach(Wo),E.forEach(qa),l?l instanceof HTMLElement?(l.appendChild(d),Os()):l(n,Os):Os(),
n}Xe.assign=We;Xe.fmtNum=mo;Xe.rangeNum=Xl;Xe.rangeLog=ns;Xe.rangeAsinh=fo;Xe.orient=Nn;Xe.pxRatio=fe;Xe.join=mu;Xe.fmtDate=go,Xe.tzDate=Mu;Xe.sync=Qr;{Xe.addGap=
af,Xe.clipGaps=os;let e=Xe.paths={points:sa};e.linear=ia,e.stepped=ff,e.bars=hf,e.spline=mf}var Pe=22,yt=24,mn=null;function ko(){mn=null}function _e(e){return mn||(mn=new Map,mn.style=getComputedStyle(document.documentElement)),mn.has(e)||mn.set(e,mn.
style.getPropertyValue(`--${e}`).trim()||"#888"),mn.get(e)}function Mf(e,t){let l=e/Math.max(2,t/110),n=10**Math.floor(Math.log10(l));for(let s of[1,2,5,10])if(s*
n>=l)return s*n;return 10*n}function Ef(e,t){let[l,n]=[["s",1e9],["ms",1e6],["\xB5s",1e3],["ns",1]].find(([,s])=>Math.abs(e)>=s)??["ns",1];return e===0||e>=12e10?
P(e):`${(e/n).toFixed(Math.max(0,Math.ceil(Math.log10(n/t)-1e-9)))} ${l}`}function ua(e,{from:t,to:l,left:n,width:s,height:i}){let c=Mf(l-t,s);e.fillStyle=_e("q\
uiet"),e.strokeStyle=_e("line"),e.font="11px system-ui, sans-serif",e.textBaseline="middle",e.beginPath();for(let r=Math.ceil(t/c)*c;r<=l;r+=c){let h=Math.round(
n+(r-t)/(l-t)*s)+.5;e.moveTo(h,yt-5),e.lineTo(h,i),h<n+s-40&&e.fillText(Ef(Math.round(r),c),h+3,yt/2)}e.stroke()}function Tf(e,t,{from:l,to:n,left:s,width:i},c){
let r=i/(n-l);for(let h=0;h<t.bins.length;h+=4){let d=t.from+t.bins[h]*t.binNs;if(d>n)break;if(d+t.binNs<l)continue;let w=Math.round(s+Math.max(0,d-l)*r),p=Math.
max(1,Math.round(s+Math.min(n-l,d+t.binNs-l)*r)-w),b=Math.max(3,t.bins[h+2]/1e3*(Pe-6));e.fillStyle=_e(t.ops[t.bins[h+3]].kind),e.fillRect(w,c+Pe-3-b,p,b)}}function Af(e,t,{
from:l,to:n,left:s,width:i,chosen:c},r){let h=i/(n-l),d=[-1,-1];e.font="11px system-ui, sans-serif",e.textBaseline="middle";for(let w of t.slices){if(w.start>n)
break;let p=w.duration===null?n:w.start+w.duration;if(p<l)continue;let b=s+Math.max(0,(w.start-l)*h),S=s+Math.min(i,(p-l)*h),v=w.depth>0?1:0,$=c===w.seq;if(S-b<
1&&b<d[v]&&!$)continue;let A=Math.max(1,S-b);d[v]=b+A;let R=v?r+3+Math.min(3,w.depth)*4:r+3,m=v?Math.max(3,Pe-6-Math.min(3,w.depth)*4):Pe-6;if(e.globalAlpha=w.duration===
null?.5:1,e.fillStyle=_e(w.op.kind),e.fillRect(b,R,A,m),e.globalAlpha=1,v&&(e.fillStyle=_e("card"),e.fillRect(b,R-1,A,1)),w.failed&&(e.fillStyle=_e("critical"),
e.fillRect(b,r+1,Math.max(2,A),2)),$&&(e.strokeStyle=_e("ink"),e.lineWidth=2,e.strokeRect(b,r+2,A,Pe-4),e.lineWidth=1),A>34&&!v){e.fillStyle=_e("card");let E=Math.
floor((A-6)/6),k=w.op.op;e.fillText(k.length<=E?k:`${k.slice(0,Math.max(1,E-1))}\u2026`,b+3,r+Pe/2)}}}function fa(e,t,l,n){for(let{line:s,y:i}of t){if(s.lane&&s.
lane.lane===n.lane&&(e.fillStyle=_e("chosen"),e.fillRect(0,i,n.left+n.width,Pe)),s.chains){let r=n.width/(n.to-n.from);for(let h of s.chains){let d=Math.max(n.left,
n.left+(h.from-n.from)*r),w=Math.min(n.left+n.width,n.left+(h.to-n.from)*r);w<n.left||d>n.left+n.width||(e.fillStyle=_e("chain"),e.globalAlpha=h.id===n.chain?.9:
.5,e.fillRect(d,i+4,Math.max(3,w-d),Pe-8),e.globalAlpha=1)}continue}let c=s.lane?l.get(s.lane.lane):null;c&&(Tf(e,c,n,i),Af(e,c,n,i))}}var ha=["launch","memcpy","collective","alloc","sync","fabric","graph","p2p","memset","event","module","stream"],cs=e=>_e(ha[e%ha.length]),da=(e,t,l)=>({space:l,
stroke:()=>_e("quiet"),grid:{stroke:()=>_e("line"),width:1},ticks:{stroke:()=>_e("line")},values:e,size:t});function Cf(e,t,l,n){let s=null,i=new ResizeObserver(
()=>{let c=e.clientWidth;c&&(s||(s=new Xe({...t,width:c,height:n},l,e),s.root.querySelector("canvas").setAttribute("aria-hidden","true")),s.width!==c&&s.setSize(
{width:c,height:n}),e.plot=s)});return i.observe(e),e.close=()=>{i.disconnect(),s?.destroy()},e}function pn({label:e,times:t,series:l,text:n,timeText:s,height:i=220,
stacked:c=!1,choose:r=null}){let h=x("div",{class:"chart",role:"img","aria-label":`${e}: ${l.map(p=>p.name).join(", ")}`}),d=l.map(p=>p.values);if(c){let p=new Array(
t.length).fill(0);d=d.map(b=>b.map((S,v)=>p[v]+=S??0))}let w=l.map((p,b)=>({label:p.name,stroke:()=>cs(b),width:1.5,points:{show:t.length<3},spanGaps:!0,fill:c?
()=>cs(b):void 0,value:(S,v,$,A)=>A===null?"\u2013":n(l[b].values[A])}));return c&&(w.reverse(),d.reverse()),Cf(h,{cursor:{drag:{x:!0,y:!1,setScale:!r}},scales:{
x:{time:!1},y:{range:(p,b,S)=>[Math.min(0,b??0),(S||1)*1.05]}},axes:[da((p,b)=>b.map(S=>s(S)),30,90),da((p,b)=>b.map(S=>n(S)),74,35)],series:[{label:"Time",value:(p,b)=>b===
null?"\u2013":s(b)},...w],legend:{live:!0},hooks:r?{setSelect:[p=>{p.select.width>3&&r(p.posToVal(p.select.left,"x"),p.posToVal(p.select.left+p.select.width,"x"))}]}:
{}},[t,...d],i)}var So=e=>`${e.pid}|${e.stream??""}|${e.phase}`,ma=e=>e.slow_1_5x+e.slow_2x+e.slow_3x,$f=(e,t)=>t.steps?jt(e/t.steps):"\u2013",ga=e=>[e.engine,e.model].filter(Boolean).
join(" "),Lf={s:e=>P(e*1e9),bytes:Le},Nf=e=>e.interval_mean!==null||e.interval_p95!==null||e.unit==="s"&&!e.name.endsWith(".total"),Mo=(e,t)=>e==null?"\u2013":Lf[t]?.(
e)??jt(e),Df=[{head:"Workload",text:e=>`${e.process??"?"} ${e.pid}, ${e.phase}`,sort:e=>e.pid},{head:"Serves",text:ga},{head:"Steps",number:!0,text:e=>V(e.steps),
sort:e=>e.steps},{head:"Slow",number:!0,text:e=>V(ma(e)),sort:ma,title:"1.5 times the 95th percentile and more"},{head:"3x",number:!0,text:e=>V(e.slow_3x),sort:e=>e.
slow_3x},{head:"Usual",number:!0,text:e=>P(e.mean_ns),sort:e=>e.mean_ns,title:"Mean of healthy steps"},{head:"p95",number:!0,text:e=>P(e.p95_ns),sort:e=>e.p95_ns,
title:"Of healthy steps"},{head:"Longest",number:!0,text:e=>P(e.max_ns),sort:e=>e.max_ns},{head:"Launches a step",number:!0,text:e=>$f(e.launches+e.graph_launches,
e),title:"Launches of graphs count as one each"},{head:"Copied a step",number:!0,text:e=>e.steps?Le(Math.round(e.copied_bytes/e.steps)):"\u2013"},{head:"Idle",number:!0,
text:e=>P(e.idle_ns),sort:e=>e.idle_ns,title:"Pauses that are part of no step"},{head:"Began over",number:!0,text:e=>e.relearned?V(e.relearned):"",title:"Times \
that what is usual changed for good"}];function pa(e){let[t,l]=[BigInt(e.start_wall_ns),BigInt(e.duration_ns)];return{view:"timeline",from:un(t-l/2n),to:un(t+3n*
l/2n)}}var Pf=e=>[{head:"At",number:!0,node:t=>x("a",{href:Ct(pa(t))},P(Number(BigInt(t.start_wall_ns)-e.origin))),sort:t=>Number(t.start_wall_ns)},{head:"Threa\
d",text:t=>`${t.pid}/${t.tid}`},{head:"Phase",text:t=>t.phase},{head:"Class",text:t=>t.slow,sort:t=>parseFloat(t.slow)},{head:"Took",number:!0,text:t=>P(t.duration_ns),
sort:t=>t.duration_ns},{head:"p95 then",number:!0,text:t=>P(t.baseline_p95_ns)},{head:"Waited",number:!0,text:t=>P(t.wait_ns),sort:t=>t.wait_ns},{head:"Launches",
number:!0,text:t=>V(t.launches+t.graph_launches)},{head:"Cause",node:t=>t.incident?x("a",{href:Ct({...pa(t),chosen:{chain:t.incident}})},t.incident):"none found"}];
async function Rf(e,t){let l=t.stream===null?"NULL":t.stream,n=el("timestamp",i=>String(Re(i))),s=await At(`SELECT timestamp - ${e.origin} AS at, duration_ns, b\
aseline_p95_ns FROM inference_steps
    WHERE pid = ${t.pid} AND stream IS ${l} AND phase = '${t.phase.replaceAll("'","''")}' AND ${n} ORDER BY timestamp`,1e4,e.signal);return s.length?pn({label:"\
Steps over time",times:s.map(i=>i.at),text:P,timeText:P,series:[{name:"Step",values:s.map(i=>i.duration_ns)},{name:"Usual, p95",values:s.map(i=>i.baseline_p95_ns)}]}):
null}async function Of(e,t){let l=await me("get_inference",ze(),t.signal);if(!l.workloads.length&&!l.engines.length)return e.append(Y("Inference",we("No step of\
 inference is known: the recording was made without --inference, or no program served a model."),Ce(l))),()=>{};let n=l.workloads.find(i=>So(i)===W.chosen.workload),
s=null;return n&&(s=await Rf(t,n),e.append(Y(`${n.process??"?"} ${n.pid}, ${n.phase}`,s??we("It made no step in this part.")))),e.append(Y("Workloads, in the wh\
ole recording",l.workloads.length?ie({caption:"Workloads; choose one to see its steps over time",rows:l.workloads,columns:Df,key:So,chosen:W.chosen.workload??null,
choose:i=>tt({workload:So(i)},!1)}):we("No step ended.")),Y("Slow steps",l.slow_steps.length?ie({caption:"Slow steps, the worst first",rows:l.slow_steps,columns:Pf(
t)}):we("No step of this part was slow.")),Y("What engines said last",l.engines.length?ie({caption:"Metrics of engines",rows:l.engines,columns:[{head:"Metric",text:i=>i.
name,sort:i=>i.name},{head:"Engine",text:i=>`${ga(i)} (${i.pid})`},{head:"Value",number:!0,text:i=>Nf(i)?`${V(i.value)} times`:Mo(i.value,i.unit),title:"Of a hi\
stogram: how often it observed"},{head:"Mean",number:!0,text:i=>Mo(i.interval_mean,i.unit),title:"Since the reading before"},{head:"p95",number:!0,text:i=>Mo(i.
interval_p95,i.unit),title:"Since the reading before"},{head:"Unit",text:i=>i.unit}]}):we("No engine was found, or none showed its metrics."))),l.cut.length&&e.
append(Ce(l)),()=>s?.close()}var wa={name:"inference",title:"Inference",draw:Of};var ba=8,xa=e=>`${e.frames?.find(t=>t.startsWith("[Python]"))??e.frames?.[1]??e.frames?.[0]??e.op} (${e.pid})`;async function If(e,t){let l=await me("get_memory",
{...ze(),limit:100,bins:300},t.signal),{totals:n,sites:s,over_time:i}=l;if(!s.length)return e.append(Y("Memory",we("No call of this part obtained memory."),Ce(l))),
()=>{};e.append(Y("Memory",$t([["Held at the end",Le(n.held_bytes)],["Held at most",Le(n.peak_bytes)],["Allocations held",V(n.held_allocations)],["Freed, but ob\
tained before",V(n.frees_of_unseen)],["Of unknown address",n.address_unknown?V(n.address_unknown):null]]),Ce(l)));let c=null;if(i){let r=Number(Re(i.from)-t.origin),
h=i.total_bytes.map((b,S)=>r+S*i.bin_ns),d=i.site_bytes.slice(0,ba),w=d.map((b,S)=>({name:xa(s[S]),values:b})),p=i.total_bytes.map((b,S)=>Math.max(0,b-d.reduce(
(v,$)=>v+$[S],0)));p.some(b=>b>0)&&w.push({name:"others",values:p}),c=pn({label:"Bytes held by call site",times:h,series:w,stacked:!0,text:Le,timeText:P,height:280}),
e.append(Y("Held over time, by call site",c,x("p",{class:"quiet"},"The most held in each part; what the program held before the recording is not seen.")))}e.append(
Y("Call sites",ie({caption:"Call sites",rows:s.map((r,h)=>({...r,i:h})),columns:[{head:"Where",node:r=>x("span",{},x("i",{class:"dot","data-ink":r.i<ba?r.i:""}),
xa(r))},{head:"Call",text:r=>r.op,sort:r=>r.op},{head:"Held",number:!0,text:r=>Le(r.held_bytes),sort:r=>r.held_bytes},{head:"At most",number:!0,text:r=>Le(r.peak_bytes),
sort:r=>r.peak_bytes},{head:"Obtained",number:!0,text:r=>Le(r.bytes),sort:r=>r.bytes},{head:"Given back",number:!0,text:r=>Le(r.freed_bytes),sort:r=>r.freed_bytes},
{head:"Calls",number:!0,text:r=>V(r.calls),sort:r=>r.calls},{head:"Failed",number:!0,text:r=>r.failed?V(r.failed):"",sort:r=>r.failed}]})));for(let r of e.querySelectorAll(
"[data-ink]"))r.dataset.ink!==""&&(r.style.background=cs(Number(r.dataset.ink)));return()=>c?.close()}var ya={name:"memory",title:"Memory",draw:If};var _a=4;function Wf(e,t,l){let[n,s]=[120,18],i=x("canvas",{width:n*2,height:s*2,class:"spark",role:"img","aria-label":e?`most often about ${P(e.from_ns[e.counts.
indexOf(Math.max(...e.counts))])}`:"not known"});if(!e)return i;let c=i.getContext("2d");c.scale(2,2),c.fillStyle=_e(e.kind);let r=Math.max(...e.counts),h=d=>(Math.
log2(Math.max(d,1))-t)/(l-t)*(n-3);return e.from_ns.forEach((d,w)=>{let p=Math.max(1.5,Math.log1p(e.counts[w])/Math.log1p(r)*s);c.fillRect(h(d),s-p,Math.max(2,n/
((l-t)*_a)-.5),p)}),i}function Ff(e,t,l){let n=m=>{let E=2**Math.floor(Math.log2(Math.max(m,1)));return m+Math.max(1,E/16)},[s,i]=[Math.log2(Math.max(e.from_ns[0],
1)),Math.log2(n(e.from_ns.at(-1)))],c=Math.max(...e.counts),r=160,h=x("canvas",{class:"distribution",role:"img","aria-label":`Distribution of ${e.op}`}),d=0,w=null,
p=null,b=m=>(Math.log2(Math.max(m,1))-s)/Math.max(i-s,.01)*d,S=m=>2**(s+m/d*(i-s));function v(){let m=devicePixelRatio||1;d=h.clientWidth,h.width=d*m,h.height=r*
m;let E=h.getContext("2d");E.scale(m,m);let k=p??(t?[b(t[0]),b(t[1])]:null);k&&(E.fillStyle=_e("chosen"),E.fillRect(Math.min(...k),0,Math.abs(k[1]-k[0]),r-18)),
E.fillStyle=_e(e.kind),e.from_ns.forEach((L,Z)=>{let K=Math.max(2,Math.log1p(e.counts[Z])/Math.log1p(c)*(r-24));E.fillRect(b(L),r-18-K,Math.max(1,b(n(L))-b(L)-.5),
K)}),E.fillStyle=_e("quiet"),E.font="11px system-ui, sans-serif";let J=i-s>5?[1]:i-s>2?[1,2,5]:[1,1.5,2,3,4,5,6,7,8,9];for(let L=0,Z=-60;L<12;L++)for(let K of J){
let X=b(K*10**L);X<Math.max(0,Z+60)||X>d-40||(E.fillText(P(K*10**L),X,r-4),Z=X)}}h.addEventListener("pointerdown",m=>{w=m.offsetX,h.setPointerCapture(m.pointerId)}),
h.addEventListener("pointermove",m=>{w!==null&&(p=[w,m.offsetX],v())}),h.addEventListener("pointerup",m=>{let[E,k]=[w,m.offsetX].sort((J,L)=>J-L);w=p=null,l(k-E>
3?[Math.floor(S(Math.max(0,E))),Math.ceil(S(Math.min(d,k)))]:null)});let $=new ResizeObserver(v);$.observe(h);let A=(m,E,k)=>[x("label",{for:m},E),x("input",{id:m,
type:"number",min:"0",step:"any",value:k??""})],R=x("form",{class:"bar"},A("least","From \xB5s",t?t[0]/1e3:null),A("most","to \xB5s",t?t[1]/1e3:null),x("button",
{type:"submit"},"List these calls"),t?x("button",{type:"button",onclick:()=>l(null)},"All"):null);return R.addEventListener("submit",m=>{m.preventDefault();let[
E,k]=[R.querySelector("#least").value,R.querySelector("#most").value];l(E===""&&k===""?null:[Math.floor(Number(E||0)*1e3),Math.ceil(Number(k||1e12)*1e3)])}),{node:x(
"div",{},h,x("p",{class:"quiet"},"Calls by duration, both on logarithmic scales. Drag over a part to list its calls."),R),close:()=>$.disconnect()}}async function Bf(e,t,l){
let n=e.origin,s=el("timestamp",c=>String(Re(c))),i=await At(`SELECT seq, timestamp - ${n} AS start_ns, duration, pid, tid, comm, failed, bytes, kernel FROM eve\
nts
    WHERE call = '${t.call.replaceAll("'","''")}' AND ${s} ${l?`AND duration BETWEEN ${l[0]} AND ${l[1]}`:""}
    ORDER BY duration DESC`,50,e.signal);return i.length?ie({caption:`Calls of ${t.op}, longest first`,rows:i,most:50,columns:[{head:"Took",number:!0,text:c=>P(
c.duration),sort:c=>c.duration},{head:"At",number:!0,node:c=>x("a",{href:Ct({view:"timeline",from:un(n+BigInt(c.start_ns-Math.max(1e3,c.duration??0))),to:un(n+BigInt(
c.start_ns+2*Math.max(1e3,c.duration??0))),chosen:{call:c.seq}})},P(c.start_ns)),sort:c=>c.start_ns},{head:"Thread",text:c=>`${c.comm??""} ${c.pid}/${c.tid}`},{
head:"Bytes",number:!0,text:c=>Le(c.bytes),sort:c=>c.bytes},{head:"Failed",text:c=>c.failed?"yes":""},{head:"Kernel",text:c=>c.kernel??""}]}):we("No call of thi\
s part took so long.")}var zf=e=>Y("Kernels",ie({caption:"Kernels",rows:e,sorted:2,columns:[{head:"Kernel",text:t=>t.kernel??"without a name",sort:t=>t.kernel??
""},{head:"Launches",number:!0,text:t=>V(t.launches),sort:t=>t.launches},{head:"Waited behind it",number:!0,text:t=>P(t.wait_ns),sort:t=>t.wait_ns,title:"Its sh\
are of the waits of the threads that launched it: a wait is shared equally among the launches since the one before"},{head:"Copied",number:!0,text:t=>Le(t.copied_bytes),
sort:t=>t.copied_bytes,title:"Its share of the bytes copied meanwhile"},{head:"In launching",number:!0,text:t=>P(t.launch_ns),sort:t=>t.launch_ns},{head:"Failed",
number:!0,text:t=>t.failed?V(t.failed):"",sort:t=>t.failed}]}));async function Vf(e,t){let[l,n]=await Promise.all([me("get_trace_stats",ze(),t.signal),me("get_d\
istributions",{...ze(),per_octave:_a},t.signal)]),s=new Map(n.calls.map(m=>[m.call,m])),i=Math.min(10,...n.calls.map(m=>Math.log2(Math.max(m.from_ns[0],1)))),c=Math.
max(11,...n.calls.map(m=>Math.log2(m.from_ns.at(-1))+.5)),r=l.calls.reduce((m,E)=>m+(E.total_ns??0),0),h=[{head:"Call",text:m=>m.op+("single_step_ns"in m?" *":""),
sort:m=>m.op},{head:"Count",number:!0,text:m=>V(m.count),sort:m=>m.count},{head:"Total",number:!0,text:m=>P(m.total_ns),sort:m=>m.total_ns},{head:"Share",number:!0,
text:m=>m.kind==="host"?"":yl(m.total_ns/r),title:"Of all calls' time; a call made inside another is in both"},{head:"p50",number:!0,text:m=>P(m.p50_ns),sort:m=>m.
p50_ns},{head:"p95",number:!0,text:m=>P(m.p95_ns),sort:m=>m.p95_ns},{head:"p99",number:!0,text:m=>P(m.p99_ns),sort:m=>m.p99_ns},{head:"Longest",number:!0,text:m=>P(
m.max_ns),sort:m=>m.max_ns},{head:"Errors",number:!0,text:m=>m.errors?V(m.errors):"",sort:m=>m.errors},{head:"Bytes",number:!0,text:m=>m.bytes===null?"":Le(m.bytes),
sort:m=>m.bytes},{head:"Off CPU",number:!0,text:m=>m.off_cpu?yl(Object.values(m.off_cpu).reduce((E,k)=>E+k,0)/m.total_ns):"",title:"Part of the time that the ca\
lling threads were off the CPU"}],d=[{head:"Layer",text:m=>m.layer,sort:m=>m.layer},{head:"Distribution",node:m=>Wf(s.get(m.call),i,c)}];matchMedia("(max-width:\
 600px)").matches?h.push(...d):h.splice(1,0,...d);let w=h.findIndex(({head:m})=>m==="Total"),p=W.chosen.op??null,b=m=>tt({op:m.call,least:null,most:null},!1);e.
append(Y("Calls",l.calls.length?ie({caption:"Calls",rows:l.calls,columns:h,sorted:w,choose:b,key:m=>m.call,chosen:p}):we("No call was recorded in this part.")),
...l.host.length?[Y("What the host did",ie({caption:"Host events",rows:l.host,columns:h.filter(({head:m})=>m!=="Off CPU"&&m!=="Share"),choose:b,key:m=>m.call,chosen:p}))]:
[]),l.kernels?.length&&e.append(zf(l.kernels)),l.calls.some(m=>"single_step_ns"in m)&&e.append(x("p",{class:"quiet"},"* Probed on an instruction that the kernel\
 single-steps: a part of each duration is that step. Choose the call to see how much."));for(let m of[l,n])m.cut.length&&e.append(Ce(m));if(!p)return()=>{};let S=await me(
"get_distributions",{...ze(),op:p,per_octave:16},t.signal),v=S.calls.find(m=>m.call===p)??S.calls[0];if(!v)return e.prepend(Y(p,we("It was not called in this pa\
rt, or has no durations."))),()=>{};let $=W.chosen.least?[Number(W.chosen.least),Number(W.chosen.most)]:null,A=Ff(v,$,m=>tt({least:m?.[0]??null,most:m?.[1]??null},
!1)),R=[...l.calls,...l.host].find(m=>m.call===v.call);return e.prepend(Y(v.op,$t([["Count",V(v.count)],["p50",P(R?.p50_ns)],["p99",P(R?.p99_ns)],["Longest",P(R?.
max_ns)],["Library's name",v.call],["Of each the probe's single step",R&&"single_step_ns"in R?P(R.single_step_ns):null]]),A.node,await Bf(t,v,$))),A.close}var va={
name:"operations",title:"Operations",draw:Vf};var Sa=e=>x("span",{class:`severity ${String(e).toLowerCase()}`},e);function Hf(e){return e?.length?x("details",{},x("summary",{},`Where it happened: ${e[0]}`),
x("ol",{class:"frames"},e.map(t=>x("li",{},t)))):null}var qf=/\d\s?(?:ns|[uµ]s|ms|s|min|h)\b/;function ka(e,t){let l=[e.lost_ns&&!qf.test(e.summary)&&`${P(e.lost_ns)}\
 lost`,e.rank!==null&&e.rank!==void 0&&`rank ${e.rank}`,e.op,e.onset&&`from ${En(e.onset)}`,e.node];return x("article",{class:"chain"},x(t?"h3":"h4",{},Sa(e.severity),
" ",e.summary),e.explanation?x("p",{},e.explanation):null,x("p",{class:"quiet"},l.filter(Boolean).join(" \xB7 ")),e.recommendations?.length?x("ul",{class:"remed\
ies","aria-label":"Remedies"},e.recommendations.map(n=>x("li",{},n))):null,x("details",{},x("summary",{},"What was measured"),x("p",{},e.root_cause),e.timeline?.
length?x("ol",{},e.timeline.map(n=>x("li",{},x("b",{},n.layer),` ${n.detail}`))):null),Hf(e.stack),e.onset&&e.end?x("p",{},x("a",{href:Ct({view:"timeline",from:e.
onset,to:e.end,chosen:{chain:e.id}})},"Show it on the timeline")):null)}function Uf(e,t){let[l,...n]=e.chains,s=e.earlier_chains??[];return Y("The cause",l?ka(l,
!0):we(t.live?"No cause has been found so far.":"Nothing is wrong that the rules know of."),n.length?x("details",{},x("summary",{},`${n.length} more`),n.map(i=>ka(
i,!1))):null,s.length?x("details",{},x("summary",{},`${s.length} chains that the legacy agent stored`),x("ul",{},s.map(i=>x("li",{},Sa(i.severity),` ${i.summary}\
: ${i.verdict}`)))):null,Ce(e))}var Yf=e=>e.calls.length?Y("Calls that have not returned",ie({caption:"Calls in flight, longest first",rows:e.calls,columns:[{head:"\
Call",text:t=>t.call},{head:"Thread",text:t=>`${t.process??""} ${t.pid}/${t.tid}`},{head:"For",text:t=>P(t.duration_ns),number:!0}]})):"";function Kf(e){let t=e.
calls.slice(0,8);return Y("Where the calls' time went",t.length?ie({caption:"Calls by total time",rows:t,columns:[{head:"Call",node:l=>x("a",{href:Ct({view:"ope\
rations",chosen:{op:l.call}})},l.op)},{head:"Count",text:l=>V(l.count),number:!0},{head:"Total",text:l=>P(l.total_ns),number:!0},{head:"p50",text:l=>P(l.p50_ns),
number:!0},{head:"p99",text:l=>P(l.p99_ns),number:!0},{head:"Longest",text:l=>P(l.max_ns),number:!0}]}):we("No call was recorded in this part."))}var Gf=e=>Y("P\
rocesses",ie({caption:"Processes",rows:e.processes,most:20,columns:[{head:"Process",text:t=>`${t.process??"?"} ${t.pid}`},{head:"Calls",text:t=>V(t.calls),number:!0},
{head:"Errors",text:t=>V(t.errors),number:!0},{head:"Host events",text:t=>V(t.host_events),number:!0},{head:"Longest call",text:t=>P(t.calls?t.max_ns:null),number:!0}]})),
jf=(e,t)=>Y("The recording",$t([["File",t.file],["Schema",t.schema],["Events in this part",V(e.events)],["First",e.first],["Last",e.last],["Rows pruned",e.rows_pruned?
V(e.rows_pruned):null],["Lost",e.lost===null?e.recording.not_ended?"not known: the recording has no proper end, see Capture":"not known: the legacy agent did no\
t count it":e.lost.some(l=>l.severity!=="info")?x("a",{href:Ct({view:"health"})},"something was: see Capture"):"nothing"]]),Ce(e));async function Jf(e,{info:t,signal:l,
show:n}){let[s,i,...c]=["The cause",null,"Where the calls' time went","Processes","The recording"].map(h=>e.appendChild(h?Y(h,qs()):x("div",{hidden:!0})));n();async function r(h,d,w){
try{let p=await d;w(p).forEach((b,S)=>h[S].replaceWith(b))}catch(p){if(!(p instanceof Wt)||p.status<500)throw p;for(let b of h.filter(S=>!S.hidden))b.querySelector(
".waiting").replaceWith(x("p",{role:"alert"},p.message))}}await Promise.all([r([s],me("get_causal_chains",{...ze(),top_n:20},l),h=>[Uf(h,t)]),r([i],me("get_call\
s_in_flight",{...ze(),limit:5},l),h=>[Yf(h)]),r(c,me("get_trace_stats",ze(),l),h=>[Kf(h),Gf(h),jf(h,t)])])}var Ma={name:"overview",title:"Overview",draw:Jf};var Dn=e=>e==null?"NULL":`'${String(e).replaceAll("'","''")}'`,Ao=()=>el("timestamp",e=>String(Re(e))),Eo=e=>e==="bytes"?Le:t=>t==null?"\u2013":jt(t),Zf=["","do\
wn","initialising","armed","active","deferred"];async function Ea(e,t){let l=await At(t,1e4,e.signal);return{times:l.map(n=>n.at),values:l.map(n=>n.value)}}async function Qf(e,t){
let l=await me("get_fabric",ze(),t.signal),n=Ta(t);if(!l.known||!l.links.length&&!l.counters.length)e.append(Y("Fabric",we("No adapter was sampled: there was no\
ne, or an earlier agent recorded this."),Ce(l)));else{e.append(Y("Links",ie({caption:"Links",rows:l.links,columns:[{head:"Adapter",text:r=>`${r.device}, port ${r.
port}`},{head:"Layer",text:r=>r.link_layer??""},{head:"State",text:r=>Zf[r.state]??String(r.state??"\u2013")},{head:"Changes",number:!0,text:r=>V(r.changes)}]})));
let s=r=>`${r.device}|${r.port??""}|${r.origin}|${r.name}`,i=l.counters.find(r=>s(r)===W.chosen.counter),c=null;if(i){let r=await Ea(t,`SELECT timestamp - ${t.origin}\
 AS at, value FROM fabric_samples WHERE device = ${Dn(i.device)} AND name = ${Dn(i.name)}
        AND origin = ${Dn(i.origin)} AND port IS ${i.port??"NULL"} AND ${Ao()} ORDER BY timestamp`);c=pn({label:i.name,times:r.times,series:[{name:i.name,values:r.
values}],text:Eo(i.unit),timeText:P}),e.append(Y(`${i.device}: ${i.name}`,c))}return e.append(Y("Counters",ie({caption:"Counters; choose one to see it over time",
rows:l.counters,sorted:3,key:s,chosen:W.chosen.counter??null,choose:r=>tt({counter:s(r)},!1),columns:[{head:"Counter",text:r=>r.name,sort:r=>r.name},{head:"Adap\
ter",text:r=>r.device,sort:r=>r.device},{head:"Port",text:r=>r.port??""},{head:"Grew by",number:!0,text:r=>Eo(r.unit)(r.grew_by),sort:r=>r.grew_by},{head:"Value",
number:!0,text:r=>Eo(r.unit)(r.value),sort:r=>r.value},{head:"Resets",number:!0,text:r=>r.resets?V(r.resets):""}]}),Ce(l))),c&&e.prepend(c.parentNode),To(c,await n,
e)}return To(null,await n,e)}var To=(e,t,l)=>(t&&l.append(t.card),()=>{e?.close(),t?.chart.close()});async function Ta(e){let t=await At(`SELECT timestamp - ${e.
origin} AS at, cpu_pct, mem_pct FROM system_snapshots WHERE ${Ao()} ORDER BY timestamp`,1e4,e.signal);if(t.length<2)return null;let l=pn({label:"The host",times:t.
map(n=>n.at),text:n=>n==null?"\u2013":`${Math.round(n)} %`,timeText:P,height:160,series:[{name:"CPU",values:t.map(n=>n.cpu_pct)},{name:"Memory",values:t.map(n=>n.
mem_pct)}]});return{chart:l,card:Y("The host",l)}}async function Xf(e,t){let l=await me("get_devices",ze(),t.signal),n=Ta(t);e.append(Y("Devices",l.devices.length?
ie({caption:"Devices",rows:l.devices,columns:[{head:"Device",text:r=>r.name??"?"},{head:"Driver",text:r=>r.driver??"\u2013"},{head:"UUID",text:r=>r.uuid??"\u2013"},
{head:"PCI address",text:r=>r.pci_address??"\u2013"}]}):we("No device was seen."),l.known?null:we("The recording has no readings: an earlier agent made it."),Ce(
l)));let s=r=>`${r.uuid??r.pci_address}|${r.name}|${r.part}`,i=l.readings.find(r=>s(r)===W.chosen.reading),c=null;if(i){let r=await Ea(t,`SELECT timestamp - ${t.
origin} AS at, value FROM device_samples WHERE uuid IS ${Dn(i.uuid)} AND pci_address IS ${Dn(i.pci_address)}
      AND name = ${Dn(i.name)} AND part = ${Dn(i.part)} AND ${Ao()} ORDER BY timestamp`);c=pn({label:i.name,times:r.times,series:[{name:i.name,values:r.values}],
text:jt,timeText:P}),e.append(Y(i.name.replaceAll("_"," "),c))}return l.readings.length&&e.append(Y("Readings",ie({caption:"Readings; choose one to see it over \
time",rows:l.readings,key:s,chosen:W.chosen.reading??null,choose:r=>tt({reading:s(r)},!1),columns:[{head:"Reading",text:r=>`${r.name.replaceAll("_"," ")}${r.part?
` (${r.part})`:""}`,sort:r=>r.name},{head:"Device",text:r=>r.uuid??r.pci_address??"?",sort:r=>r.uuid},{head:"Last",number:!0,text:r=>r.last===null?"\u2013":jt(r.
last)},{head:"Least",number:!0,text:r=>jt(r.min)},{head:"Average",number:!0,text:r=>jt(r.avg)},{head:"Most",number:!0,text:r=>jt(r.max)},{head:"Samples",number:!0,
text:r=>V(r.samples)}]}))),l.processes.length&&e.append(Y("Memory by process",ie({caption:"Memory by process",rows:l.processes,columns:[{head:"Process",text:r=>r.
pid},{head:"Device",text:r=>r.device},{head:"Memory",number:!0,text:r=>Le(r.memory_bytes)}]}))),l.errors.length&&e.append(Y("Errors of drivers",ie({caption:"Err\
ors of drivers",rows:l.errors,columns:[{head:"Kind",text:r=>`${r.kind} ${r.code??""}`},{head:"Meaning",text:r=>r.meaning??""},{head:"Process",text:r=>r.process??
""},{head:"Message",text:r=>r.message}]}))),To(c,await n,e)}var Aa={name:"fabric",title:"Fabric",draw:Qf},Ca={name:"devices",title:"Devices",draw:Xf};var $a=.5,La=4,us=class{constructor(t,l){this.context=t,this.onNews=l,this.lanes=[],this.views=new Map,this.cut=[],this.abort=null}text(t){return un(this.context.
origin+BigInt(Math.round(t)))}async want(t,l,n,s){let i=l-t,c={from:Math.max(-1e9,t-$a*i),to:l+$a*i},r=n.filter(w=>{let p=this.views.get(w);return!p||p.asked.from>
t||p.asked.to<l?!0:p.bins.length>0&&p.asked.to-p.asked.from>3*i});if(this.lanes.length&&r.length===0||this.abort)return;let h=new AbortController;this.abort=h;let d=await me(
"get_timeline",{from:this.text(c.from),to:this.text(c.to),bins:Math.min(1e3,Math.max(50,Math.round(s))),...n.length?{lanes:n.slice(0,48)}:{}},h.signal).finally(
()=>{this.abort=null});this.take(d,c),this.onNews()}take(t,l){this.lanes=t.lanes,this.cut=t.cut.filter(s=>!s.includes("`"));let n=t.from?Number(Re(t.from)-this.
context.origin):0;for(let s of t.views){let i=new Set(s.failed);this.views.set(s.lane,{asked:l,from:n,binNs:s.bins.length?t.bin_ns:0,bins:s.bins,ops:t.ops,slices:s.
start_ns.map((c,r)=>({start:n+c,duration:s.duration_ns[r],op:t.ops[s.op[r]],depth:s.depth[r],seq:s.seq[r],failed:i.has(s.seq[r])}))})}}kinds(){let t=new Set;for(let l of this.
views.values()){for(let n of l.slices)t.add(n.op.kind);for(let n=0;n<l.bins.length;n+=La)t.add(l.ops[l.bins[n+La-1]].kind)}return[...t].sort()}hasFailed(){return[
...this.views.values()].some(t=>t.slices.some(l=>l.failed))}forget(){this.views.clear()}};var Na=100,nn=(e,t,l)=>Math.min(l,Math.max(t,e));function Co(e){return e.group==="thread"?`thread ${e.tid}`:e.group==="stream"?e.stream===0?"default stream":`st\
ream ${BigInt(e.stream).toString(16)}`:e.group==="rank"?e.rank===null?`rank unknown (pid ${e.pid})`:`rank ${e.rank}${e.nranks?` of ${e.nranks}`:""}`:e.op}var $o=e=>`${e.
process||"?"} ${e.pid}${e.node?` on ${e.node}`:""}`;function eh(e,t){let l=[];t.length&&l.push({title:"Causes",chains:t});let n=null;for(let s of e){let i=s.group===
"rank"?"Collectives by rank":$o(s);i!==n&&l.push({heading:i}),n=i,l.push({lane:s,title:Co(s)})}return l}var Lo=class{constructor(t,l){this.context=l,this.data=new us(
l,()=>{this.arrange(),this.schedule()}),this.chains=[],this.lines=[],this.top=0,this.frames=[],this.canvas=x("canvas",{tabindex:"0",role:"application",id:"lanes",
"aria-roledescription":"timeline","aria-label":"Timeline. Arrow keys move, plus and minus zoom, comma and period choose calls; ? lists the keys.","aria-describe\
dby":"chosen-call"}),this.detail=x("div",{id:"chosen-call","aria-live":"polite"}),this.scroller=x("div",{class:"lanes"},this.canvas),this.where=x("span",{class:"\
quiet"});let n=(s,i,c)=>x("button",{onclick:i,title:c?`${s} (${c})`:s},s);this.cutList=x("div"),this.legend=x("ul",{class:"legend","aria-label":"Colours"}),t.append(
x("section",{class:"card"},x("h2",{},"Timeline"),x("div",{class:"bar"},n("Closer",()=>this.zoom(.5),"+"),n("Farther",()=>this.zoom(2),"\u2212"),n("Earlier",()=>this.
pan(-.3),"\u2190"),n("Later",()=>this.pan(.3),"\u2192"),n("Whole",()=>this.whole(),"0"),this.where),this.scroller,this.legend,this.cutList),Y("The chosen call",
this.detail)),this.listen()}drawLegend(){let t=this.data.kinds();this.legend.replaceChildren(...t.map(l=>x("li",{},x("i",{class:`kind ${l}`}),l)),...this.chains.
length?[x("li",{},x("i",{class:"kind chain"}),"cause")]:[],...this.data.hasFailed()?[x("li",{},x("i",{class:"kind failed"}),"failed")]:[])}async start(){let{context:t}=this,
l=(i,c)=>i&&Re(i)!==null?Number(Re(i)-t.origin):c,n=Math.max(t.spanNs,1e3);this.from=l(W.from,-.01*n),this.to=Math.max(this.from+Na,l(W.to,1.01*n)),this.lane=W.
chosen.lane??null,this.chosen=W.chosen.call?Number(W.chosen.call):null;let s=await me("get_causal_chains",{top_n:-1},t.signal);this.chains=s.chains.filter(i=>i.
onset&&Re(i.onset)!==null).map(i=>({...i,from:Number(Re(i.onset)-t.origin),to:i.end?Number(Re(i.end)-t.origin):t.spanNs})),await this.data.want(this.from,this.to,
[],800),this.cutList.replaceChildren(Ce(this.data)??""),this.chosen!==null?await this.describe():W.chosen.chain?this.describeChain(this.chains.find(i=>i.id===W.
chosen.chain)):this.detail.replaceChildren(x("p",{class:"quiet"},"None. Click one, or press comma or period on the timeline."))}arrange(){this.lines=eh(this.data.
lanes,this.chains),this.drawLegend()}resize(){let t=this.scroller.clientWidth;if(!t)return;this.left=t<600?88:190,this.height=nn(yt+this.lines.length*Pe+6,160,Math.
max(260,innerHeight-330));let l=devicePixelRatio||1;this.canvas.width=Math.round(t*l),this.canvas.height=Math.round(this.height*l),this.canvas.style.height=`${this.
height}px`,this.width=t-this.left,this.ratio=l,this.schedule()}schedule(){this.due||this.closed||(this.due=requestAnimationFrame(()=>{this.due=0,this.draw()}))}draw(){
if(!this.width)return;if(nn(yt+this.lines.length*Pe+6,160,Math.max(260,innerHeight-330))!==this.height)return this.resize();let l=performance.now(),n=this.canvas.
getContext("2d");n.setTransform(this.ratio,0,0,this.ratio,0,0),n.fillStyle=_e("card"),n.fillRect(0,0,this.left+this.width,this.height);let s={from:this.from,to:this.
to,left:this.left,width:this.width,height:this.height,lane:this.lane,chosen:this.chosen,chain:W.chosen.chain};this.top=nn(this.top,0,Math.max(0,this.lines.length*
Pe-(this.height-yt))),ua(n,s),n.save(),n.beginPath(),n.rect(0,yt,this.left+this.width,this.height-yt),n.clip();let i=this.seen();n.save(),fa(n,i,this.data.views,
s),n.restore(),this.drawTitles(n,i),n.restore(),this.where.textContent=`${P(this.to-this.from)} from ${P(Math.max(0,this.from))} on`,this.frames.push(performance.
now()-l),this.frames.length>2e3&&this.frames.splice(0,1e3),this.canvas.frames=this.frames,this.ask()}seen(){let t=Math.floor(this.top/Pe);return this.lines.slice(
t,t+Math.ceil((this.height-yt)/Pe)+1).map((l,n)=>({line:l,y:yt+(t+n)*Pe-this.top}))}drawTitles(t,l){t.textBaseline="middle";let n=this.left<120;for(let{line:s,y:i}of l){
t.font=`${s.heading?"600 ":""}${n?11:12}px system-ui, sans-serif`;let c=s.heading??s.title,r=s.heading?t.measureText(c).width+8:this.left;t.fillStyle=s.lane&&s.
lane.lane===this.lane?_e("chosen"):_e("card"),t.fillRect(0,i,r,Pe),t.fillStyle=s.heading?_e("ink"):_e("quiet");let h=s.heading||n?2:12;s.heading?t.fillText(c,h,
i+Pe/2):t.fillText(c,h,i+Pe/2,this.left-h-4)}}ask(){this.asking||(this.asking=setTimeout(async()=>{this.asking=0;let t=this.seen().map(({line:l})=>l.lane?.lane).
filter(Boolean).slice(0,48);if(t.length)try{await this.data.want(this.from,this.to,t,this.width)}catch(l){l.name!=="AbortError"&&this.context.say(l.message)}},60))}move(t,l){
let n=Math.max(this.context.spanNs,1e3),s=nn(l-t,Na,1.5*n),i=nn((t+l)/2,-.2*n,1.2*n);this.from=i-s/2,this.to=i+s/2,this.schedule(),clearTimeout(this.noting),this.
noting=setTimeout(()=>{fn({from:this.data.text(this.from),to:this.data.text(this.to),chosen:this.selection()},!0),this.context.header()},250)}selection(){return{
lane:this.lane,call:this.chosen,chain:W.chosen.chain}}zoom(t,l=.5){let n=this.to-this.from,s=this.from+l*n;this.move(s-l*n*t,s+(1-l)*n*t)}pan(t){let l=t*(this.to-
this.from);this.move(this.from+l,this.to+l)}whole(){let t=Math.max(this.context.spanNs,1e3);this.move(-.01*t,1.01*t)}chooseLane(t){let l=this.lines.map((r,h)=>({
line:r,i:h})).filter(({line:r})=>r.lane);if(!l.length)return;let n=l.findIndex(({line:r})=>r.lane.lane===this.lane),s=l[nn(n<0?0:n+t,0,l.length-1)];this.lane=s.
line.lane.lane;let i=s.i*Pe,c=this.height-yt-Pe;this.top=nn(this.top,i-c,i),this.context.say(`${Co(s.line.lane)}, ${$o(s.line.lane)}, ${V(s.line.lane.events)} e\
vents`),tt(this.selection()),this.schedule()}chooseCall(t){this.lane||this.chooseLane(0);let l=this.data.views.get(this.lane)?.slices??[];if(!l.length){this.context.
say(this.data.views.get(this.lane)?.bins.length?"Too many calls to choose one here: zoom closer.":"No call here.");return}let n=l.findIndex(i=>i.seq===this.chosen),
s=n>=0?n+t:Math.max(0,l.findIndex(i=>i.start>=this.from));this.take(l[nn(s,0,l.length-1)])}take(t){if(this.chosen=t?.seq??null,t&&(t.start>this.to||t.start+(t.duration??
0)<this.from)){let l=(this.to-this.from)/2;this.move(t.start-l,t.start+l)}tt({...this.selection(),chain:null}),this.schedule(),this.describe()}async describe(){
let t=this.chosen;if(t!==null)try{let[l]=await At(`SELECT op_name, call, kind, layer, comm, pid, tid, duration, outcome, ret_code, failed, bytes, direction, str\
eam, kernel, gpu_id,
        library, parent_call, preempted_ns, runqueue_ns, blocked_ns, io_ns, culprit_comm, culprit_pid, culprit_ns FROM events WHERE seq = ${Number(t)}`,1);if(t!==
this.chosen||!l)return;let n=[["preempted",l.preempted_ns],["waiting for a CPU",l.runqueue_ns],["blocked",l.blocked_ns],["on I/O",l.io_ns]];this.detail.replaceChildren(
x("h3",{},l.op_name),$t([["Took",P(l.duration)],["Call",l.call],["Process",`${l.comm??"?"} ${l.pid}`],["Thread",l.tid],["Outcome",l.failed?`${l.outcome}, failed\
 (${l.ret_code})`:l.outcome],["Bytes",l.bytes===null?null:Le(l.bytes)],["Direction",l.direction],["Stream",l.stream===null?null:`0x${BigInt.asUintN(64,BigInt(l.
stream)).toString(16)}`],["Kernel",l.kernel],["Device",l.gpu_id],["Library",l.library],["Made inside",l.parent_call],["Off the CPU",n.filter(([,s])=>s).map(([s,
i])=>`${P(i)} ${s}`).join(", ")],["Meanwhile ran",l.culprit_comm?`${l.culprit_comm} ${l.culprit_pid}, ${P(l.culprit_ns)}`:null]]))}catch(l){l.name!=="AbortError"&&
this.context.say(l.message)}}describeChain(t){t&&this.detail.replaceChildren(x("h3",{},`${t.severity}: ${t.summary}`),x("p",{},t.root_cause),x("p",{class:"quiet"},
`from ${En(t.onset)} to ${En(t.end)}`))}at(t){let l=this.canvas.getBoundingClientRect(),[n,s]=[t.clientX-l.left,t.clientY-l.top],i=nn((n-this.left)/this.width,0,
1);return{x:n,y:s,part:i,time:this.from+i*(this.to-this.from),line:this.lines[Math.floor((s-yt+this.top)/Pe)]}}click(t){let{line:l,time:n}=this.at(t);if(l?.chains){
let c=4*(this.to-this.from)/this.width,r=l.chains.find(h=>h.from-c<=n&&n<=h.to+c);r&&(this.chosen=null,tt({...this.selection(),chain:r.id}),this.describeChain(r),
this.schedule());return}if(!l?.lane)return;this.lane=l.lane.lane;let s=3*(this.to-this.from)/this.width,i=null;for(let c of this.data.views.get(this.lane)?.slices??
[]){if(c.start-s>n)break;c.start+(c.duration??1/0)+s>=n&&(!i||c.depth>=i.depth)&&(i=c)}i?this.take(i):(tt(this.selection()),this.context.say(`${Co(l.lane)}, ${$o(
l.lane)}`),this.schedule())}listen(){let{canvas:t}=this;t.addEventListener("wheel",n=>{n.preventDefault(),n.ctrlKey||n.metaKey?this.zoom(Math.exp(n.deltaY/300),
this.at(n).part):n.shiftKey||Math.abs(n.deltaX)>Math.abs(n.deltaY)?this.pan((n.deltaX||n.deltaY)/this.width):this.lines.length*Pe>this.height-yt?(this.top+=n.deltaY,
this.schedule()):scrollBy(0,n.deltaY)},{passive:!1});let l=null;t.addEventListener("pointerdown",n=>{l={x:n.clientX,y:n.clientY,from:this.from,to:this.to,top:this.
top,moved:!1},t.setPointerCapture(n.pointerId)}),t.addEventListener("pointermove",n=>{if(!l)return;let[s,i]=[n.clientX-l.x,n.clientY-l.y];if(!l.moved&&Math.hypot(
s,i)<4)return;l.moved=!0;let c=-(s/this.width)*(l.to-l.from);this.top=l.top-i,this.move(l.from+c,l.to+c)}),t.addEventListener("pointerup",n=>{l&&!l.moved&&this.
click(n),l=null}),t.addEventListener("pointercancel",()=>{l=null}),t.addEventListener("keydown",n=>this.key(n)),this.observer=new ResizeObserver(()=>this.resize()),
this.observer.observe(this.scroller),this.scheme=matchMedia("(prefers-color-scheme: dark)"),this.onScheme=()=>{ko(),this.schedule()},this.scheme.addEventListener(
"change",this.onScheme)}key(t){if(t.altKey||t.metaKey)return;let l=()=>(this.data.views.get(this.lane)?.slices??[]).find(s=>s.seq===this.chosen),n={ArrowLeft:()=>this.
pan(t.shiftKey?-.5:-.1),ArrowRight:()=>this.pan(t.shiftKey?.5:.1),ArrowUp:()=>t.ctrlKey?this.zoom(.7):this.chooseLane(-1),ArrowDown:()=>t.ctrlKey?this.zoom(1.4):
this.chooseLane(1),"+":()=>this.zoom(.6),"=":()=>this.zoom(.6),"-":()=>this.zoom(1.6),",":()=>this.chooseCall(-1),".":()=>this.chooseCall(1),0:()=>this.whole(),
Home:()=>this.move(0,this.to-this.from),End:()=>this.move(this.context.spanNs-(this.to-this.from),this.context.spanNs),Enter:()=>{let s=l();s&&this.move(s.start-
.2*Math.max(s.duration??0,1e3),s.start+1.2*Math.max(s.duration??0,1e3))}};n[t.key]&&(t.preventDefault(),t.stopPropagation(),n[t.key]())}close(){this.closed=!0,cancelAnimationFrame(
this.due),clearTimeout(this.asking),clearTimeout(this.noting),this.data.abort?.abort(),this.observer.disconnect(),this.scheme.removeEventListener("change",this.
onScheme)}},at=null;async function th(e,t){ko();let l=new Lo(e,t);try{await l.start()}catch(n){throw l.close(),n}return l.arrange(),at=l,()=>l.close()}async function nh(e){
if(!at||at.closed)return;let t=at.to>=at.context.spanNs;if(at.context.spanNs=e.spanNs,at.data.forget(),!W.from&&!W.to)at.from=-.01*e.spanNs,at.to=1.01*e.spanNs;else if(t&&
at.to<e.spanNs){let l=at.to-at.from;at.from=e.spanNs-l,at.to=e.spanNs+.01*l}at.schedule()}var Da={name:"timeline",title:"Timeline",draw:th,refresh:nh};var $l=[Ma,va,Da,Oi,ya,Pi,wa,Aa,Ca,Ii],lh=2e3,Pa="a,button,input,select,summary,[tabindex]",Oe=document.getElementById("main"),Ll=document.getElementById("notic\
e"),sh=document.getElementById("status"),Je={info:null,origin:0n,spanNs:0,say:e=>{sh.textContent=e},header:()=>Pn()},_t=null,hs=!0,oh=new Yl($l,()=>{hs=!hs,Pn()}),
Pn=()=>oh.draw(Je,hs),Nl=()=>$l.find(e=>e.name===W.view)??$l[0],Ra=(e,t)=>e.file===t.file&&e.schema===t.schema&&e.legacy===t.legacy;async function ih(){let e=await me(
"get_trace_stats"),{file:t,live:l,earlier_agent:n,schema:s}=e.recording,i=Je.info;return Je.info={file:t,live:l,legacy:n,schema:s,first:e.first,last:e.last,events:e.
events},Je.origin=Re(e.first)??0n,Je.spanNs=e.last?Number(Re(e.last)-Je.origin):0,!i||Ra(i,Je.info)&&(i.first??e.first)===e.first}wi(e=>{let{info:t}=Je;if(!(!t||
Ra(t,{...e,legacy:e.earlier_agent})&&(t.live||!e.live)))throw rh(),new DOMException("the server has another recording now","AbortError")});function ds(){_t?.abort.
abort(),_t?.close?.(),_t=null}function rh(){ds(),Je.info=null,Pn(),Dl(Nl()),Po()}function Dl(e){Ll.hidden=!0,Je.say(""),Oe.replaceChildren(Li(e.title)),Oe.setAttribute(
"aria-busy","true"),Hs()}async function Oa(e=!1){let t=Nl(),l=_t,n={view:t,part:`${W.from} ${W.to}`,abort:new AbortController},s=l!==null&&l.view===t&&(e||l.part===
n.part);l?.abort.abort(),s||ds(),_t=n,Pn(),s?e||(Oe.setAttribute("aria-busy","true"),Hs()):Dl(t);let i=x("div",{class:`view ${t.name}`,id:"view",role:"tabpanel",
"aria-labelledby":`tab-${t.name}`}),c=()=>{_t===n&&!s&&Oe.replaceChildren(i)};try{if(n.close=await t.draw(i,{...Je,signal:n.abort.signal,show:c}),_t!==n){n.close?.();
return}Ll.hidden=!0}catch(r){if(_t!==n||r.name==="AbortError")return;if(r instanceof Wt&&r.status===401)return Ro(r.message);i.replaceChildren(),Do(r)}s&&l.close?.(),
Oe.contains(i)||ah(i,s),Oe.removeAttribute("aria-busy"),Kl()}var fs=e=>`${e.tagName} ${e.id} ${e.getAttribute("aria-label")??e.textContent}`;function ah(e,t){let l=document.
activeElement,[n,s]=Oe.contains(l)?[[...Oe.querySelectorAll(Pa)].indexOf(l),fs(l)]:[-1,""],i=[scrollX,scrollY],c=new Set([...Oe.querySelectorAll("details[open] \
> summary")].map(fs));if(Oe.replaceChildren(e),!t)return;for(let h of Oe.querySelectorAll("details > summary"))c.has(fs(h))&&(h.parentNode.open=!0);let r=[...Oe.
querySelectorAll(Pa)];n>=0&&(r.find(h=>fs(h)===s)??r[n])?.focus({preventScroll:!0}),scrollTo(...i)}function Do(e){Ll.textContent=e instanceof Wt?e.message:`This\
 page failed: ${e.message}`,Ll.hidden=!1,e instanceof Wt||console.error(e)}var ch=()=>Oe.hasAttribute("aria-busy")||Oe.querySelector(":active, input:focus, sele\
ct:focus")!==null,No=0;async function Po(){let e=++No,t=!Je.info||Je.info.live&&hs&&!document.hidden;try{if(t){let l=!Je.info,n=await ih();if(e!==No)return;Ll.hidden=
!0,n||ds(),_t?.view.refresh&&!l?(Pn(),await _t.view.refresh(Je)):(!_t||!ch())&&await Oa(_t!==null)}}catch(l){if(l.name==="AbortError")return;if(l.status===401)return Ro(
l.message);Je.info||(Oe.replaceChildren(),Oe.removeAttribute("aria-busy"),Kl()),Do(l)}setTimeout(()=>e===No&&Po(),lh)}async function Ro(e){ds(),Je.info=null,Dl(
Nl());try{(e!==void 0||await xi())&&(Oe.removeAttribute("aria-busy"),Kl(),await yi(Oe,e??""),document.activeElement?.blur(),Dl(Nl()))}catch(t){Do(t)}Po()}addEventListener(
"keydown",e=>Ei(e,$l,_t?.view));document.getElementById("skip").addEventListener("click",e=>{e.preventDefault(),Oe.focus()});vi(()=>{if(Je.info)return Oa().then(
()=>{document.activeElement===document.body&&Oe.focus({preventScroll:!0})});Pn(),Oe.hasAttribute("aria-busy")&&Dl(Nl())});ki();Mi($l);Pn();Ro();
