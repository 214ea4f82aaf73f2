// Made by serve/page/build.mjs from serve/page/source/: change those.
function m(e,t={},...n){let s=document.createElement(e);for(let[l,r]of Object.entries(t))r==null||r===!1||(l.startsWith("on")?s.addEventListener(l.slice(2),r):s.
setAttribute(l,r===!0?"":String(r)));for(let l of n.flat(2))l==null||l===!1||s.append(l instanceof Node?l:document.createTextNode(String(l)));return s}var Ss="\u2013",
Js=e=>e!=null;function Rr(e){let t=Math.abs(e);return t>=100?e.toFixed(0):t>=10?e.toFixed(1):e.toFixed(2)}var su=[["s",1e9],["ms",1e6],["\xB5s",1e3]];function E(e){
if(!Js(e))return Ss;let t=Math.abs(e);if(t===0)return"0";if(t>=36e11)return`${(e/36e11).toFixed(1)} h`;if(t>=12e10)return`${(e/6e10).toFixed(1)} min`;for(let[n,
s]of su)if(t>=s)return`${Rr(e/s)} ${n}`;return`${Math.round(e)} ns`}function Oe(e){if(!Js(e))return Ss;for(let[t,n]of[["TB",1e12],["GB",1e9],["MB",1e6],["kB",1e3]])
if(Math.abs(e)>=n)return`${Rr(e/n)} ${t}`;return`${e} B`}function O(e){return Js(e)?Number(e).toLocaleString("en"):Ss}function Zt(e){for(let[t,n]of[["T",1e12],[
"G",1e9],["M",1e6],["k",1e3]])if(Math.abs(e)>=n)return`${+(e/n).toPrecision(3)}${t}`;return String(+e.toPrecision(3))}function ln(e){return Js(e)&&Number.isFinite(
e)?`${(100*e).toFixed(e<.1?1:0)} %`:Ss}function Ce(e){let t=/^(.*?)(?:\.(\d{1,9}))?Z$/.exec(e??""),n=t?Date.parse(`${t[1]}Z`):NaN;return Number.isNaN(n)?null:BigInt(
n)*1000000n+BigInt((t[2]??"").padEnd(9,"0"))}function Ot(e){let t=e/1000000000n;return`${new Date(Number(t)*1e3).toISOString().slice(0,19)}.${String(e-t*1000000000n).
padStart(9,"0")}Z`}function Rn(e){return e?e.slice(11,23).replace("Z",""):Ss}var Es="ingero-token",Lt=class extends Error{constructor(t,n,s){super(s),this.status=t,this.word=n}},lu=/"(?:[^"\\]|\\.)*"|(?<![\d.])-?\d{16,}(?![\d.eE])/g,ou=e=>JSON.
parse(e.replace(lu,t=>t[0]==='"'||Number.isSafeInteger(Number(t))?t:`"${t}"`));async function Or(e,t,n,s){let l=sessionStorage.getItem(Es),r=l?{Authorization:`B\
earer ${l}`}:{};n!==void 0&&(r["Content-Type"]="application/json");let a;try{a=await fetch(t,{method:e,headers:r,body:n,signal:s,credentials:"omit",cache:"no-st\
ore"})}catch(u){throw u.name==="AbortError"?u:new Lt(0,"gone","the server does not answer")}let o;try{o=ou(await a.text())}catch(u){if(u.name==="AbortError")throw u;
if(a.ok)throw new Lt(a.status,"internal",`the server's answer cannot be read: ${u.message}`);o={error:`status ${a.status}`,class:"internal"}}if(!a.ok)throw new Lt(
a.status,o.class,o.error);return o}var ru={get_trace_stats:"the figures of all calls",get_time_spent:"where the time went",get_causal_chains:"the causes",get_calls_in_flight:"\
calls that have not returned",get_distributions:"distributions",get_timeline:"the timeline",get_stacks:"stacks",get_memory:"memory by call site",find_outlier_nodes:"\
the clusters",run_analysis:"who is late, and why",effects:"ranks by time",get_collectives:"collectives",get_inference:"steps of inference",get_fabric:"counters \
of the fabric",get_devices:"readings of devices"},Jl=new Set,Zl=[],Lr=()=>{},Nr=e=>Zl.push(e),Dr=()=>[...new Set([...Jl].map(e=>e.about))],Pr=e=>{Lr=e};async function pe(e,t={},n=void 0){
let s={about:ru[e]??"rows"};Jl.add(s);for(let l of Zl)l();try{let l=await Or("POST",`/api/v1/tools/${e}`,JSON.stringify(t),n);return n?.throwIfAborted(),l.recording&&
Lr(l.recording),l}finally{Jl.delete(s);for(let l of Zl)l()}}var Ir=e=>Or("GET",e);async function Ze(e,t=1e3,n=void 0){let s=await pe("run_sql",{query:e,limit:t},
n);return s.data.map(l=>Object.fromEntries(l.map((r,a)=>[s.columns[a],r])))}async function Wr(){let{asks_token:e}=await Ir("/page.json");return e&&!sessionStorage.
getItem(Es)}function Fr(e,t,n="the recording"){return sessionStorage.removeItem(Es),new Promise(s=>{let l=m("input",{id:"token",type:"password",autocomplete:"of\
f",spellcheck:"false",required:!0}),r=m("p",{role:"alert"},t),a=m("form",{class:"card login"},m("h2",{},"Token"),m("p",{},`The server was started with a token, \
and shows ${n} to those who have it. It is kept in this tab only.`),m("label",{for:"token"},"Bearer token"),l,m("button",{type:"submit"},"Open"),r);a.addEventListener(
"submit",async o=>{o.preventDefault(),sessionStorage.setItem(Es,l.value);try{await Ir("/api/v1/health"),s()}catch(u){sessionStorage.removeItem(Es),r.textContent=
u.status===401?"That is not the token.":u.message,l.select()}}),e.replaceChildren(a),l.focus()})}var F={view:"overview",from:null,to:null,chosen:{}},Br=[],zr=e=>Br.push(e);function Ql(){let[e,t=""]=location.hash.replace(/^#\/?/,"").split("?"),n=new URLSearchParams(
t);F.view=e||"overview",F.from=n.get("from"),F.to=n.get("to"),n.delete("from"),n.delete("to"),F.chosen=Object.fromEntries(n)}function lt({view:e=F.view,from:t=F.
from,to:n=F.to,chosen:s={}}={}){let l=new URLSearchParams;t&&l.set("from",t),n&&l.set("to",n);for(let[a,o]of Object.entries(s))o!=null&&l.set(a,o);let r=l.toString();
return`#/${e}${r?`?${r}`:""}`}function mn(e,t=!1){let n=lt(e);if(n!==location.hash){if(!t){location.hash=n;return}history.replaceState(null,"",n),Ql()}}var Ie=(e,t=!0)=>mn(
{chosen:{...F.chosen,...e}},t),Fe=()=>({...F.from&&{from:F.from},...F.to&&{to:F.to}}),Qt=e=>e==null?"NULL":`'${String(e).replaceAll("'","''")}'`;function Xt(e,t){
let n=[];return F.from&&n.push(`${e} >= ${t(F.from)}`),F.to&&n.push(`${e} <= ${t(F.to)}`),n.length?n.join(" AND "):"1"}function Hr(){Ql(),addEventListener("hash\
change",()=>{Ql();for(let e of Br)e()})}var eo=e=>(e+1).toString(36),iu=[["1 to 9, a","the views, in their order"],["0","the whole recording"],["?","this list"],["Escape","closes it"]],au=[["\u2190 \u2192",
"earlier, later"],["+ \u2212","closer, farther (also \u2191 \u2193 with Ctrl, or the wheel with Ctrl)"],["\u2191 \u2193","the track above, below"],[", .","the p\
revious, the next call of the track"],["Enter","as close as the chosen call"],["Home End","the beginning, the end"]],cu=[["\u2190 \u2192","the column before, th\
e next"],["Page Up, Page Down","a tenth of them earlier, later"],["Home End","the first, the last"]],Zs=document.getElementById("keys"),Xl=(e,t)=>[m("h3",{},e),
m("dl",{class:"keys"},t.map(([n,s])=>m("div",{},m("dt",{},m("kbd",{},n)),m("dd",{},s))))];function Vr(){Zs.replaceChildren(m("h2",{id:"keys-title"},"Keys"),...Xl(
"Everywhere",iu),...Xl("On the timeline",au),...Xl("On steps and ranks",cu),m("button",{onclick:()=>Zs.close()},"Close"))}var uu=e=>e instanceof HTMLElement&&(e.
isContentEditable||/^(INPUT|SELECT|TEXTAREA)$/.test(e.tagName));function qr(e,t){if(e.ctrlKey||e.metaKey||e.altKey||uu(e.target)||Zs.open)return;let n=t.findIndex(
(s,l)=>eo(l)===e.key);if(e.key==="?")Zs.showModal();else if(e.key==="0")mn({from:null,to:null});else if(n>=0)mn({view:t[n].name});else return;e.preventDefault()}var Ur={ArrowRight:1,ArrowDown:1,ArrowLeft:-1,ArrowUp:-1};function fu(e){let t=e.map((s,l)=>m("a",{role:"tab",id:`tab-${s.name}`,"aria-controls":"view","aria-ke\
yshortcuts":eo(l)},s.title)),n=m("div",{role:"tablist",class:"tabs","aria-label":"Views"},t);return n.addEventListener("keydown",s=>{let l=t.indexOf(s.target);if(l<
0||s.ctrlKey||s.metaKey||s.altKey)return;let r={Home:0,End:t.length-1};if(s.key===" ")t[l].click();else if(s.key in Ur)t[(l+Ur[s.key]+t.length)%t.length].focus();else if(s.
key in r)t[r[s.key]].focus();else return;s.preventDefault()}),{links:t,list:n}}var Qs=class{constructor(t,n){this.views=t,this.text=m("span"),this.follow=m("but\
ton",{id:"follow",onclick:n}),this.part=m("span"),this.whole=m("button",{id:"whole",onclick:()=>mn({from:null,to:null,chosen:F.chosen})},"Whole recording");let{
links:s,list:l}=fu(t);this.links=s,document.getElementById("recording").append(this.text," ",this.follow),document.getElementById("views").append(l),document.getElementById(
"part").append(this.part," ",this.whole)}draw({info:t,origin:n,spanNs:s},l){let r=this.views.find(v=>v.name===F.view)??this.views[0];if(document.title=[r.title,
t?.file,"ingero"].filter(Boolean).join(" \u2013 "),this.links.forEach((v,M)=>{let $=this.views[M]===r;v.href=lt({view:this.views[M].name}),v.setAttribute("aria-\
selected",String($)),v.tabIndex=$?0:-1}),this.follow.hidden=!t?.live,this.whole.hidden=!F.from&&!F.to,!t){this.text.textContent="",this.part.textContent="";return}
let{file:a,legacy:o,first:u,events:f}=t,p=[a,`${O(f)} events`,u?`${E(s)} from ${u.slice(0,10)} ${Rn(u)} UTC`:"no event yet"];if(o&&p.push("made by the legacy ag\
ent"),this.text.textContent=p.join(" \xB7 "),this.follow.textContent=l?"Live: following":"Live: paused",this.follow.setAttribute("aria-pressed",String(l)),this.
whole.hidden){this.part.textContent="Whole recording";return}let g=(v,M)=>v?Number((Ce(v)??n)-n):M,[x,y]=[g(F.from,0),g(F.to,s)];this.part.textContent=`Part: ${E(
Math.max(0,y-x))}, from ${E(x)} on`}};var no=document.getElementById("progress"),Yr=m("span"),Gr=m("span",{"aria-hidden":"true"});no.replaceChildren(Yr,Gr);var Ms=null,Kr=0;function to(){if(Ms===null)
return;let e=Dr();Yr.textContent=`Loading ${e.length?e.join(", "):"the view"}`;let t=Math.floor((performance.now()-Ms)/1e3);Gr.textContent=t?` \u2026 ${t} s`:" \
\u2026"}Nr(to);function so(){Ms===null&&(Kr=setInterval(to,1e3)),Ms=performance.now(),no.hidden=!1,to()}function Xs(){Ms=null,clearInterval(Kr),no.hidden=!0}var lo=(e=3)=>m(
"div",{class:"waiting","aria-hidden":"true"},Array.from({length:e},()=>m("i"))),jr=e=>m("div",{class:"view outline"},m("section",{class:"card"},m("h2",{},e),lo(
6)));var Jr="a,button,input,select,summary,[tabindex]",el=e=>`${e.tagName} ${e.id} ${e.getAttribute("aria-label")??e.textContent}`;function Zr(e,t){let n=document.activeElement,
[s,l]=e.contains(n)?[[...e.querySelectorAll(Jr)].indexOf(n),el(n)]:[-1,""],r=[scrollX,scrollY],a=new Set([...e.querySelectorAll("details[open] > summary")].map(
el));e.replaceWith(t);for(let u of t.querySelectorAll("details > summary"))a.has(el(u))&&(u.parentNode.open=!0);let o=[...t.querySelectorAll(Jr)];s>=0&&(o.find(
u=>el(u)===l)??o[s])?.focus({preventScroll:!0}),scrollTo(...r)}var hu="http://www.w3.org/2000/svg";function De(e,t={},...n){let s=document.createElementNS(hu,e);for(let[l,r]of Object.entries(t))r!=null&&s.setAttribute(l,String(
r));for(let l of n.flat())l&&s.append(l instanceof Node?l:document.createTextNode(String(l)));return s}function Qr(e){let t=10**Math.floor(Math.log10(e));return[
1,2,5,10].find(n=>n*t>=e)*t}function tl(e,t,n){let s=[],l=-1/0;for(let{x:r,at:a}of e){let o=E(Math.max(0,a));r<l||r+6*o.length>n||(s.push(De("text",{class:"axis",
x:r,y:t},o)),l=r+7*o.length+24)}return De("g",{"aria-hidden":"true"},s)}function nl({id:e,label:t,items:n,chosen:s=null,draw:l,onChoose:r}){let a=De("svg",{role:"\
presentation",width:"100%"}),o=m("div",{class:"picture",id:e,role:"listbox",tabindex:0,"aria-label":t,"aria-orientation":"horizontal"},a),u=[],f=[],p=n.findIndex(
M=>String(M.id)===String(s)),g=0;function x(){f.forEach((M,$)=>M.setAttribute("aria-selected",String($===p))),p>=0&&f[p]&&o.setAttribute("aria-activedescendant",
f[p].id)}function y(){let M=l(g);u=M.slots,a.setAttribute("height",M.height),a.setAttribute("viewBox",`0 0 ${g} ${M.height}`),f=n.map(($,C)=>De("g",{role:"optio\
n",id:`${e}-${C}`,"aria-label":$.label},De("title",{},$.label),De("rect",{class:"slot",x:u[C].x,y:0,width:u[C].width,height:M.height}),M.shapes[C])),a.replaceChildren(
...M.behind,...f,...M.before),x()}o.choose=M=>{p=Math.min(n.length-1,Math.max(0,M)),x(),r(n[p])},o.chosen=()=>p,o.addEventListener("click",M=>{let $=M.clientX-a.
getBoundingClientRect().left,C=-1,w=1/0;u.forEach((T,S)=>{let K=Math.abs(T.x+T.width/2-$);K<w&&([C,w]=[S,K])}),C>=0&&o.choose(C)}),o.addEventListener("keydown",
M=>{if(M.altKey||M.metaKey||M.ctrlKey)return;let $=Math.max(1,Math.round(n.length/10)),C={ArrowLeft:p-1,ArrowRight:p+1,ArrowUp:p-1,ArrowDown:p+1,PageUp:p-$,PageDown:p+
$,Home:0,End:n.length-1}[M.key];C!==void 0&&(M.preventDefault(),o.choose(C))});let v=new ResizeObserver(()=>{!o.clientWidth||o.clientWidth===g||(g=o.clientWidth,
y())});return v.observe(o),o.close=()=>v.disconnect(),o}var Xr=e=>String(BigInt.asIntN(64,BigInt(e)));async function ei(e,t,{origin:n,signal:s}){let l=Xt("timestamp",u=>String(Ce(u))),r=await Ze(`WITH a AS (SELECT *,\
 ntile(${t}) OVER (ORDER BY timestamp) AS part FROM collective_arrivals WHERE comm_id_hash = ${Xr(e)} AND ${l}),
    w AS (SELECT *, row_number() OVER (PARTITION BY part ORDER BY skew_ns DESC) AS place, count(*) OVER () AS entered FROM a)
    SELECT session, seq, call, ranks, nranks, skew_ns, late_ns, last_rank, last_pid, timestamp - ${n} AS at, entered FROM w WHERE place = 1 ORDER BY timestamp`,
1e3,s);if(!r.length)return[];let a=new Map(r.map(u=>[`${u.session} ${u.seq}`,{...u,id:`${u.session}-${u.seq}`,entries:[]}])),o=await Ze(`SELECT session, seq, ra\
nk, pid, start_mono_ns - min(start_mono_ns) OVER (PARTITION BY session, seq) AS late_ns FROM collectives WHERE comm_id_hash = ${Xr(e)} AND seq IN (${r.map(u=>Number(
u.seq)).join()})
    ORDER BY late_ns`,1e4,s);for(let u of o){let f=a.get(`${u.session} ${u.seq}`);f&&f.entries.push({rank:u.rank,pid:u.pid,late_ns:u.late_ns})}return[...a.values()]}
var gn=({rank:e,pid:t})=>e==null?`pid ${t}`:`rank ${e}`;var du=22,$s=4,pu=1e5;function ti(e){let t=new Map;for(let s of e)for(let l of s.entries)t.set(gn(l),l);let n=[...t].sort(([,s],[,l])=>(s.rank??1e9)-(l.rank??1e9)||
s.pid-l.pid).map(([s])=>s);return new Map(n.map((s,l)=>[s,l]))}var oo=e=>e.reduce((t,n)=>Math.max(t,n.skew_ns),pu);function ni(e,t,n){let s=t.size>64?8:t.size>16?
14:24,l=n<500?54:70,r=$s+s*t.size+du,a=Math.min(32,(n-l-2)/e.length),o=oo(e),u=Math.ceil(14/s),f=[...t].filter(([,y])=>y%u===0).map(([y,v])=>De("text",{class:"a\
xis",x:l-6,y:$s+(v+.5)*s+4,"text-anchor":"end"},y)),p=e.map((y,v)=>({x:l+v*a,width:a})),g=e.map((y,v)=>{let M=new Set,$={x:(p[v].x+.5).toFixed(2),width:Math.max(
1,a-1).toFixed(2),height:s-2},C=y.entries.map(T=>{let S=t.get(gn(T));return M.add(S),De("rect",{...$,class:"late",y:$s+S*s+1,"fill-opacity":(.06+.94*Math.min(1,
T.late_ns/o)).toFixed(3)})});for(let T of t.values())M.has(T)||C.push(De("rect",{...$,class:"absent",y:$s+T*s+1}));let w=t.get(gn({rank:y.last_rank,pid:y.last_pid}));
return w!==void 0&&C.push(De("circle",{class:"last",cx:(p[v].x+a/2).toFixed(2),cy:$s+(w+.5)*s,r:Math.max(1.2,Math.min(4,a/3,s/4)).toFixed(2)})),C}),x=tl(p.map((y,v)=>({
x:y.x,at:e[v].at})),r-6,n);return{height:r,slots:p,shapes:g,behind:[De("g",{"aria-hidden":"true"},f)],before:[x]}}var si=new Map,mu=(e,t)=>`${e} ${t}${e===1?"":"s"}`;function gu(e,t,n){let s=m("div",{class:"table",role:"group","aria-label":e},t,n),l=m("button",{class:"hint",
hidden:!0},"More columns"),r=[...t.querySelectorAll("thead th")],a=()=>{let f=s.clientWidth;if(!f)return;let p=s.scrollWidth>f+1,g=p?r.filter(y=>y.offsetLeft+y.
offsetWidth>s.scrollLeft+f+1):[],x=g.length;s.classList.toggle("is-wide",p),o.classList.toggle("is-cut",x>0),p?s.tabIndex=0:s.removeAttribute("tabindex"),l.hidden=
!p,l.textContent=x?`${mu(x,"more column")} \u2192`:"\u2190 to the first column",l.onclick=()=>{let y=x?g[0].offsetLeft-r[0].offsetWidth:0;s.scrollLeft=x&&y<=s.scrollLeft?
s.scrollLeft+f/2:y}},o=m("div",{class:"frame"},l,s);s.addEventListener("scroll",a,{passive:!0});let u=new ResizeObserver(a);return u.observe(s),u.observe(t),o}function X({
caption:e,columns:t,rows:n,sorted:s=null,choose:l=null,key:r=null,chosen:a=null,most:o=200}){let u=si.get(e)??{by:s,down:!0};si.set(e,u);let f=m("tbody"),p=m("p",
{class:"quiet"});function g(){let v=t[u.by],M=n;v?.sort&&(M=[...n].sort(($,C)=>{let[w,T]=[v.sort($),v.sort(C)],S=w===T?0:w==null?-1:T==null?1:w<T?-1:1;return u.
down?-S:S})),f.replaceChildren(...M.slice(0,o).map($=>{let C=m("tr",{"aria-selected":r&&a!==null?String(r($))===String(a):void 0});return t.forEach((w,T)=>{let S=w.
node?w.node($):w.text($);C.append(m(T===0?"th":"td",{scope:T===0?"row":void 0,class:w.number?"number":void 0},T===0&&l?m("button",{class:"plain",onclick:()=>l($)},
S):S))}),C})),p.textContent=n.length>o?`${o} of ${n.length} rows are shown.`:"",x.forEach(($,C)=>$.setAttribute("aria-sort",C!==u.by?"none":u.down?"descending":
"ascending"))}let x=t.map((v,M)=>m("th",{scope:"col",class:v.number?"number":void 0,title:v.title},v.sort?m("button",{class:"plain",onclick:()=>{u.down=u.by===M?
!u.down:!0,u.by=M,g()}},v.head):v.head)),y=m("table",{},m("caption",{},e),m("thead",{},m("tr",{},x)),f);return g(),gu(e,y,p)}function mt(e){return m("dl",{class:"\
facts"},e.filter(([,t])=>t!=null&&t!=="").map(([t,n])=>m("div",{},m("dt",{},t),m("dd",{},n))))}var U=(e,...t)=>m("section",{class:"card"},m("h2",{},e),...t),fe=e=>m(
"p",{class:"quiet"},e),be=e=>e?.cut?.length?m("ul",{class:"cut"},e.cut.map(t=>m("li",{},t))):null;var wu=120,bu=10,li=1e6,sl=e=>gn({rank:e.last_rank,pid:e.last_pid}),xu=e=>`${e.call} number ${e.seq}: ${sl(e)} came last, ${E(e.skew_ns)} after the first`;function ri(e){
let[t]=[...e.last].sort((s,l)=>l.times-s.times);if(!t||!e.rounds)return null;let n=gn(t);return`${n[0].toUpperCase()}${n.slice(1)} came last most often: in ${O(
t.times)} of ${O(e.rounds)} collectives, at most ${E(t.max_skew_ns)} after the first.`}function oi(e,t,n){let[s,l]=[t.at-li,t.at+t.skew_ns+li].map(r=>Ot(n.origin+
BigInt(Math.round(r))));e.replaceChildren(m("h3",{},`${t.call} number ${O(t.seq)}`),m("p",{},`${sl(t)} came last: ${E(t.skew_ns)} after the first, ${E(t.late_ns)}\
 after the one before it.`),X({caption:"Who came when",rows:t.entries,columns:[{head:"Rank",text:gn,sort:r=>r.rank},{head:"Process",number:!0,text:r=>r.pid,sort:r=>r.
pid},{head:"After the first",number:!0,text:r=>E(r.late_ns),sort:r=>r.late_ns},{head:"Waited for the last",number:!0,text:r=>E(t.skew_ns-r.late_ns),sort:r=>t.skew_ns-
r.late_ns}]}),m("p",{},m("a",{href:lt({view:"timeline",from:s,to:l})},"Show it on the timeline")))}var _u=(e,t)=>X({caption:"Collectives of the picture; choose \
one",rows:e.map((n,s)=>({...n,i:s})),most:300,choose:n=>t(n.i),columns:[{head:"Collective",text:n=>`${n.call} ${O(n.seq)}`,sort:n=>n.at},{head:"At",number:!0,text:n=>E(
n.at),sort:n=>n.at},{head:"Came last",text:sl,sort:sl},{head:"After the first",number:!0,text:n=>E(n.skew_ns),sort:n=>n.skew_ns},{head:"After the one before",number:!0,
text:n=>E(n.late_ns),sort:n=>n.late_ns},{head:"Ranks seen",number:!0,text:n=>O(n.ranks),sort:n=>n.ranks}]});async function ii(e,t,n){if(e.comm_id_hash===null||!e.
rounds)return null;let s=Math.max(20,Math.min(wu,Math.floor((Math.min(innerWidth,1600)-130)/bu))),l=(await ei(e.comm_id_hash,s,n)).map(y=>({...y,label:xu(y)}));
if(!l.length)return null;let r=ti(l),a=y=>`${t}-${y}`,o=m("div",{"aria-live":"polite"}),u=nl({id:`ranks-${t}`,items:l,chosen:l.find(y=>a(y.id)===F.chosen.collective)?.
id??null,label:"Ranks by time: who came late to each collective. Arrow keys choose one.",draw:y=>ni(l,r,y),onChoose:y=>{Ie({collective:a(y.id)},!0),oi(o,y,n)}}),
f=y=>u.choose(u.chosen()<0?0:u.chosen()+y);u.chosen()>=0?oi(o,l[u.chosen()],n):o.append(m("p",{class:"quiet"},"Choose a collective in the picture: click it, or \
use the arrow keys."));let{entered:p}=l[0],g=l.some(y=>y.entries.length<r.size);return{element:m("div",{},m("div",{class:"bar"},m("button",{onclick:()=>f(-1),title:"\
The column before (\u2190)"},"Earlier"),m("button",{onclick:()=>f(1),title:"The next column (\u2192)"},"Later"),m("span",{class:"quiet"},p>l.length?`of ${O(p)} \
collectives ${O(l.length)}: of each part the one whose ranks came most apart`:`${O(p)} collectives`)),u,m("ul",{class:"legend","aria-label":"Colours"},m("li",{},
m("i",{class:"kind scale"}),`from in time to ${E(oo(l))} after the first`),m("li",{},m("i",{class:"kind last"}),"came last"),g?m("li",{},m("i",{class:"kind abse\
nt"}),"not seen in it"):null),o,m("details",{},m("summary",{},"The picture as a table"),_u(l,y=>{u.choose(y),u.focus()}))),close:()=>u.close()}}var ai=e=>e===null?"made before the recording":BigInt(e).toString(16),yu=8;async function vu(e,t){let n=await pe("get_collectives",Fe(),t.signal);if(!n.communicators.
length)return e.append(U("Collectives",fe("No collective was called in this part."),be(n))),()=>{};let s=[];for(let[l,r]of n.communicators.entries()){let a=l<yu?
await ii(r,l,t):null;a&&s.push(a);let o=ri(r);e.append(U(`Communicator ${ai(r.comm_id_hash)}`,o?m("p",{},o):null,a?.element,mt([["Ranks",r.nranks],["Ranks seen \
here",O(r.ranks_seen)],["Collectives that several entered",O(r.rounds)],["First to last, at most",r.max_skew_ns===null?null:E(r.max_skew_ns)]]),r.hangs.length?m(
"ul",{class:"cut"},r.hangs.map(u=>m("li",{},`${u.call} number ${u.number}: ranks ${u.missing} missing while ${u.present} waited ${E(u.waited_ns)}${u.is_over?"":
", still"}`))):null,X({caption:"Calls",rows:r.ops,columns:[{head:"Call",text:u=>u.call},{head:"Calls",number:!0,text:u=>O(u.calls)},{head:"Bytes",number:!0,text:u=>Oe(
u.bytes)},{head:"Average wait",number:!0,text:u=>E(u.average_wait_ns)},{head:"Longest wait",number:!0,text:u=>E(u.max_wait_ns)}]}),r.last.length?X({caption:"Who\
 came last",rows:r.last,columns:[{head:"Came last",text:u=>u.rank===null?`pid ${u.pid}`:`rank ${u.rank}`},{head:"Times",number:!0,text:u=>O(u.times)},{head:"Aft\
er the first, at most",number:!0,text:u=>E(u.max_skew_ns)},{head:"After the one before",number:!0,text:u=>E(u.late_ns)}]}):null))}return e.append(U("By rank",X(
{caption:"By rank",rows:n.ranks,columns:[{head:"Rank",text:l=>l.rank===null?`pid ${l.pid}`:l.rank,sort:l=>l.rank},{head:"Communicator",text:l=>ai(l.comm_id_hash)},
{head:"Calls",number:!0,text:l=>O(l.calls),sort:l=>l.calls},{head:"Bytes",number:!0,text:l=>Oe(l.bytes),sort:l=>l.bytes},{head:"Average wait",number:!0,text:l=>E(
l.average_wait_ns),sort:l=>l.average_wait_ns},{head:"Longest wait",number:!0,text:l=>E(l.max_wait_ns),sort:l=>l.max_wait_ns},{head:"Last number",number:!0,text:l=>O(
l.last_number),sort:l=>l.last_number}]}),be(n))),()=>{for(let l of s)l.close()}}var ci={name:"collectives",title:"Collectives",draw:vu};function ku(e){let t={name:"all",ns:0,n:0,children:new Map};for(let n of e){if(!n.frames?.length)continue;t.ns+=n.total_ns??0,t.n+=n.n;let s=t;for(let l of[...n.
frames].reverse())s.children.has(l)||s.children.set(l,{name:l,ns:0,n:0,children:new Map}),s=s.children.get(l),s.ns+=n.total_ns??0,s.n+=n.n}return t}function Su(e,t){
let n=e;for(let s of t)if(n=n.children.get(s),!n)return null;return n}var Eu=e=>e.children.size===0?"leaf":/\.py\b|\[Python\]/.test(e.name)?"python":"native";function ui(e,t,n,s,l=0){
if(l>60)return null;let r=[...e.children.values()].sort((a,o)=>o.ns-a.ns).filter(a=>a.ns/t.ns>.002);return m("ul",{class:"icicle"},r.map(a=>{let o=m("li",{},m("\
button",{class:`box ${Eu(a)}`,title:`${a.name}: ${E(a.ns)}, ${ln(a.ns/t.ns)}, ${O(a.n)} calls`,onclick:()=>s([...n,a.name])},a.name),ui(a,t,[...n,a.name],s,l+1));
return o.style.flexGrow=String(a.ns),o.style.width=`${100*a.ns/e.ns}%`,o}))}async function Mu(e,t){let n=await pe("get_stacks",{...Fe(),limit:100,...F.chosen.op&&
{op:F.chosen.op}},t.signal),s=n.stacks.filter(p=>p.frames?.length),l=ku(s),r=[];try{r=JSON.parse(F.chosen.path??"[]")}catch{r=[]}let a=Array.isArray(r)?Su(l,r.map(
String))??l:l;a===l&&(r=[]);let o=p=>Ie({path:p.length?JSON.stringify(p):null},!1),u=[...new Set(n.stacks.map(p=>p.op))].sort(),f=m("select",{id:"op"},m("option",
{value:""},"all calls"),u.map(p=>m("option",{value:p,selected:p===F.chosen.op},p)));F.chosen.op&&!u.includes(F.chosen.op)&&f.append(m("option",{value:F.chosen.op,
selected:!0},F.chosen.op)),f.addEventListener("change",()=>Ie({op:f.value||null,path:null},!1)),e.append(m("section",{class:"card"},m("h2",{},"Where calls were \
made"),m("div",{class:"bar"},m("label",{for:"op"},"Of"),f,r.length?m("button",{onclick:()=>o([])},"All of it"):null,r.length?m("button",{onclick:()=>o(r.slice(0,
-1))},"One frame out"):null),s.length?m("div",{},r.length?m("p",{},r.at(-1)):null,m("p",{class:"quiet"},`${E(a.ns)} in ${O(a.n)} calls; a frame is as wide as it\
s share, the calls stand at the bottom.`),m("div",{class:"flames",role:"group","aria-label":"Flame graph"},ui(a,a,r,o))):fe("This part has no stacks: not every \
call has one (trace --stack), and recordings of the legacy agent may have none."),be(n))),n.stacks.length&&e.append(U("Stacks",X({caption:"Stacks by time",rows:n.
stacks,sorted:2,columns:[{head:"Call",text:p=>p.op,sort:p=>p.op},{head:"Calls",number:!0,text:p=>O(p.n),sort:p=>p.n},{head:"Time",number:!0,text:p=>E(p.total_ns),
sort:p=>p.total_ns},{head:"Longest",number:!0,text:p=>E(p.max_us===null?null:p.max_us*1e3),sort:p=>p.max_us},{head:"Innermost frames",text:p=>(p.frames??[]).slice(
0,3).join(" < ")||"not known"}]})))}var fi={name:"flame",title:"Flame graph",draw:Mu};function $u(e){let t=e.flatMap(n=>n.rows.filter(s=>s.state!=="resolved").map(s=>({...s,library:n.library})));return m("div",{},X({caption:"Rows by library of th\
is machine",rows:e,columns:[{head:"Library",text:n=>n.path},{head:"Version",text:n=>n.version??""},{head:"Processes",number:!0,text:n=>O(n.pids.length)},{head:"\
Resolved",number:!0,text:n=>O(n.resolved)},{head:"Absent",number:!0,text:n=>O(n.absent)},{head:"Refused",number:!0,text:n=>O(n.refused)},{head:"Single-stepped",
number:!0,text:n=>O(n.single_stepped)}]}),t.length?m("details",{},m("summary",{},`${O(t.length)} rows are absent or refused`),X({caption:"Absent and refused row\
s",rows:t,columns:[{head:"Call",text:n=>n.call},{head:"Library",text:n=>n.library},{head:"State",text:n=>n.state},{head:"Why",text:n=>[n.reason,n.remedy].filter(
Boolean).join("; ")}]})):null)}async function Tu(e,{info:t,signal:n}){let[s,l,r]=await Promise.all([pe("get_trace_stats",{},n),Ze("SELECT id, (CASE WHEN stopped\
_at > 0 THEN stopped_at - started_at END) AS lasted_ns, kernel, os_release, cpu_model, cpu_cores, gpu_model, gpu_driver, flags, pid_filter, node, ingero_ver FRO\
M sessions ORDER BY id",50,n),t.legacy?Promise.resolve(null):Ze("SELECT backend, library, library_version, count(*) AS rows, count(DISTINCT name) AS calls FROM \
sites GROUP BY 1, 2, 3 ORDER BY rows DESC",200,n)]),a=s.recording.not_ended,o=a?s.recording.lost_at_least??[]:s.lost;a&&e.append(U("No proper end",m("p",{},a),m(
"p",{},"What was lost is not known. Below is what was counted until then."))),e.append(U("What was lost",o===null?fe("Not known: the legacy agent kept no accoun\
t of it."):o.length===0?fe(a?"Nothing until then.":"Nothing."):X({caption:"Losses",rows:o,sorted:1,columns:[{head:"What",text:f=>f.sentence},{head:"Count",number:!0,
text:f=>O(f.count),sort:f=>f.count},{head:"Severity",node:f=>m("span",{class:`severity ${f.severity==="info"?"low":"medium"}`},f.severity),sort:f=>f.severity},{
head:"Name",text:f=>f.name}]}))),e.append(U("Rows in use, by library",r===null?fe("Not known: the legacy agent did not store it."):r.length===0?fe("No call of a\
 library was captured."):X({caption:"Libraries",rows:r,columns:[{head:"Library",text:f=>f.library??"the kernel"},{head:"Version",text:f=>f.library_version??""},
{head:"Backend",text:f=>f.backend},{head:"Calls",number:!0,text:f=>O(f.calls)},{head:"Spellings",number:!0,text:f=>O(f.rows)}]}),m("p",{class:"quiet"},"Rows tha\
t saw at least one call. Which rows can be attached at all, the check below says for the machine that serves this page."))),e.append(U("Runs of the agent",X({caption:"\
Runs",rows:l,columns:[{head:"Run",text:f=>`${f.id}${f.node?` on ${f.node}`:""}`},{head:"Lasted",number:!0,text:f=>f.lasted_ns===null?t.live?"running":"killed":E(
f.lasted_ns)},{head:"Flags",text:f=>f.flags??""},{head:"Processes",text:f=>f.pid_filter||"all"},{head:"Kernel",text:f=>f.kernel??""},{head:"CPU",text:f=>`${f.cpu_model??
""}${f.cpu_cores?`, ${f.cpu_cores}`:""}`},{head:"Device",text:f=>f.gpu_model??""},{head:"Version",text:f=>f.ingero_ver??""}]}),mt([["Events",O(s.events)],["Rows\
 pruned to keep the file small",s.rows_pruned?O(s.rows_pruned):"none"]]),be(s)));let u=m("div",{},m("button",{id:"check",onclick:async()=>{u.replaceChildren(m("\
p",{class:"quiet"},"Looking\u2026"));try{let f=await pe("get_check");u.replaceChildren(m("p",{},`This machine is ${f.status}.`),$u(f.libraries),X({caption:"Chec\
ks of this machine",rows:f.checks,columns:[{head:"Check",text:p=>p.name},{head:"Result",text:p=>p.pass===null?"could not tell":p.pass?"passed":p.optional?"missi\
ng, not needed":"failed"},{head:"What was found",text:p=>[p.value,p.detail,p.recommendation].filter(Boolean).join("; ")}]}))}catch(f){u.replaceChildren(m("p",{role:"\
alert"},f.message))}}},"Check this machine"));e.append(U("The machine that serves this page",u))}var hi={name:"health",title:"Capture",draw:Tu};var Au="uplot",Cu="u-hz",Ru="u-vt",Ou="u-title",Lu="u-wrap",Nu="u-under",Du="u-over",Pu="u-axis",Nn="u-off",Iu="u-select",Wu="u-cursor-x",Fu="u-cursor-y",Bu="u-\
cursor-pt",zu="u-legend",Hu="u-live",Vu="u-inline",qu="u-series",Uu="u-marker",di="u-label",Yu="u-value",As="width",Cs="height";var pi="bottom",os="left",ro="right",So="#000",mi=So+"0",io="mousemove",gi="mousedown",ao="mouseup",wi="mouseenter",bi="mouseleave",xi="dblclick",Gu="resize",Ku="\
scroll",_i="change",al="dppxchange",Eo="--",hs=typeof window<"u",po=hs?document:null,is=hs?window:null,ju=hs?navigator:null,he,ll;function mo(){let e=devicePixelRatio;
he!=e&&(he=e,ll&&wo(_i,ll,mo),ll=matchMedia(`(min-resolution: ${he-.001}dppx) and (max-resolution: ${he+.001}dppx)`),Dn(_i,ll,mo),is.dispatchEvent(new CustomEvent(
al)))}function yt(e,t){if(t!=null){let n=e.classList;!n.contains(t)&&n.add(t)}}function go(e,t){let n=e.classList;n.contains(t)&&n.remove(t)}function Me(e,t,n){
e.style[t]=n+"px"}function zt(e,t,n,s){let l=po.createElement(e);return t!=null&&yt(l,t),n?.insertBefore(l,s),l}function Nt(e,t){return zt("div",e,t)}var yi=new WeakMap;
function en(e,t,n,s,l){let r="translate("+t+"px,"+n+"px)",a=yi.get(e);r!=a&&(e.style.transform=r,yi.set(e,r),t<0||n<0||t>s||n>l?yt(e,Nn):go(e,Nn))}var vi=new WeakMap;
function ki(e,t,n){let s=t+n,l=vi.get(e);s!=l&&(vi.set(e,s),e.style.background=t,e.style.borderColor=n)}var Si=new WeakMap;function Ei(e,t,n,s){let l=t+""+n,r=Si.
get(e);l!=r&&(Si.set(e,l),e.style.height=n+"px",e.style.width=t+"px",e.style.marginLeft=s?-t/2+"px":0,e.style.marginTop=s?-n/2+"px":0)}var Mo={passive:!0},Ju={...Mo,
capture:!0};function Dn(e,t,n,s){t.addEventListener(e,n,s?Ju:Mo)}function wo(e,t,n,s){t.removeEventListener(e,n,Mo)}hs&&mo();function Ht(e,t,n,s){let l;n=n||0,s=
s||t.length-1;let r=s<=2147483647;for(;s-n>1;)l=r?n+s>>1:vt((n+s)/2),t[l]<e?n=l:s=l;return e-t[n]<=t[s]-e?n:s}function Xi(e){return(n,s,l)=>{let r=-1,a=-1;for(let o=s;o<=
l;o++)if(e(n[o])){r=o;break}for(let o=l;o>=s;o--)if(e(n[o])){a=o;break}return[r,a]}}var ea=e=>e!=null,ta=e=>e!=null&&e>0,fl=Xi(ea),Zu=Xi(ta);function Qu(e,t,n,s=0,l=!1){
let r=l?Zu:fl,a=l?ta:ea;[t,n]=r(e,t,n);let o=e[t],u=e[t];if(t>-1)if(s==1)o=e[t],u=e[n];else if(s==-1)o=e[n],u=e[t];else for(let f=t;f<=n;f++){let p=e[f];a(p)&&(p<
o?o=p:p>u&&(u=p))}return[o??xe,u??-xe]}function hl(e,t,n,s){let l=Ti(e),r=Ti(t);e==t&&(l==-1?(e*=n,t/=n):(e/=n,t*=n));let a=n==10?on:na,o=l==1?vt:Dt,u=r==1?Dt:vt,
f=o(a(qe(e))),p=u(a(qe(t))),g=as(n,f),x=as(n,p);return n==10&&(f<0&&(g=_e(g,-f)),p<0&&(x=_e(x,-p))),s||n==2?(e=g*l,t=x*r):(e=ra(e,g),t=dl(t,x)),[e,t]}function $o(e,t,n,s){
let l=hl(e,t,n,s);return e==0&&(l[0]=0),t==0&&(l[1]=0),l}var To=.1,Mi={mode:3,pad:To},Os={pad:0,soft:null,mode:0},Xu={min:Os,max:Os};function cl(e,t,n,s){return pl(
n)?$i(e,t,n):(Os.pad=n,Os.soft=s?0:null,Os.mode=s?3:0,$i(e,t,Xu))}function ce(e,t){return e??t}function ef(e,t,n){for(t=ce(t,0),n=ce(n,e.length-1);t<=n;){if(e[t]!=
null)return!0;t++}return!1}function $i(e,t,n){let s=n.min,l=n.max,r=ce(s.pad,0),a=ce(l.pad,0),o=ce(s.hard,-xe),u=ce(l.hard,xe),f=ce(s.soft,xe),p=ce(l.soft,-xe),
g=ce(s.mode,0),x=ce(l.mode,0),y=t-e,v=on(y),M=ut(qe(e),qe(t)),$=on(M),C=qe($-v);(y<1e-24||C>10)&&(y=0,(e==0||t==0)&&(y=1e-24,g==2&&f!=xe&&(r=0),x==2&&p!=-xe&&(a=
0)));let w=y||M||1e3,T=on(w),S=as(10,vt(T)),K=w*(y==0?e==0?.1:1:r),N=_e(ra(e-K,S/10),24),Z=e>=f&&(g==1||g==3&&N<=f||g==2&&N>=f)?f:xe,G=ut(o,N<Z&&e>=Z?Z:Vt(Z,N)),
ee=w*(y==0?t==0?.1:1:a),Q=_e(dl(t+ee,S/10),24),L=t<=p&&(x==1||x==3&&Q>=p||x==2&&Q<=p)?p:-xe,ne=Vt(u,Q>L&&t<=L?L:ut(L,Q));return G==ne&&G==0&&(ne=100),[G,ne]}var tf=new Intl.
NumberFormat(hs?ju.language:"en-US"),Ao=e=>tf.format(e),kt=Math,il=kt.PI,qe=kt.abs,vt=kt.floor,Ve=kt.round,Dt=kt.ceil,Vt=kt.min,ut=kt.max,as=kt.pow,Ti=kt.sign,on=kt.
log10,na=kt.log2,nf=(e,t=1)=>kt.sinh(e)*t,co=(e,t=1)=>kt.asinh(e/t),xe=1/0;function Ai(e){return(on((e^e>>31)-(e>>31))|0)+1}function bo(e,t,n){return Vt(ut(e,t),
n)}function sa(e){return typeof e=="function"}function oe(e){return sa(e)?e:()=>e}var sf=()=>{},la=e=>e,oa=(e,t)=>t,lf=e=>null,Ci=e=>!0,Ri=(e,t)=>e==t,of=/\.\d*?(?=9{6,}|0{6,})/gm,
Pn=e=>{if(aa(e)||bn.has(e))return e;let t=`${e}`,n=t.match(of);if(n==null)return e;let s=n[0].length-1;if(t.indexOf("e-")!=-1){let[l,r]=t.split("e");return+`${Pn(
l)}e${r}`}return _e(e,s)};function On(e,t){return Pn(_e(Pn(e/t))*t)}function dl(e,t){return Pn(Dt(Pn(e/t))*t)}function ra(e,t){return Pn(vt(Pn(e/t))*t)}function _e(e,t=0){
if(aa(e))return e;let n=10**t,s=e*n*(1+Number.EPSILON);return Ve(s)/n}var bn=new Map;function ia(e){return((""+e).split(".")[1]||"").length}function Ns(e,t,n,s){
let l=[],r=s.map(ia);for(let a=t;a<n;a++){let o=qe(a),u=_e(as(e,a),o);for(let f=0;f<s.length;f++){let p=e==10?+`${s[f]}e${a}`:s[f]*u,g=(a>=0?0:o)+(a>=r[f]?0:r[f]),
x=e==10?p:_e(p,g);l.push(x),bn.set(x,g)}}return l}var Ls={},Co=[],cs=[null,null],wn=Array.isArray,aa=Number.isInteger,rf=e=>e===void 0;function Oi(e){return typeof e==
"string"}function pl(e){let t=!1;if(e!=null){let n=e.constructor;t=n==null||n==Object}return t}function af(e){return e!=null&&typeof e=="object"}var cf=Object.getPrototypeOf(
Uint8Array),ca="__proto__";function us(e,t=pl){let n;if(wn(e)){let s=e.find(l=>l!=null);if(wn(s)||t(s)){n=Array(e.length);for(let l=0;l<e.length;l++)n[l]=us(e[l],
t)}else n=e.slice()}else if(e instanceof cf)n=e.slice();else if(t(e)){n={};for(let s in e)s!=ca&&(n[s]=us(e[s],t))}else n=e;return n}function Be(e){let t=arguments;
for(let n=1;n<t.length;n++){let s=t[n];for(let l in s)l!=ca&&(pl(e[l])?Be(e[l],us(s[l])):e[l]=us(s[l]))}return e}var uf=0,ff=1,hf=2;function df(e,t,n){for(let s=0,
l,r=-1;s<t.length;s++){let a=t[s];if(a>r){for(l=a-1;l>=0&&e[l]==null;)e[l--]=null;for(l=a+1;l<n&&e[l]==null;)e[r=l++]=null}}}function pf(e,t){if(wf(e)){let a=e[0].
slice();for(let o=1;o<e.length;o++)a.push(...e[o].slice(1));return bf(a[0])||(a=gf(a)),a}let n=new Set;for(let a=0;a<e.length;a++){let u=e[a][0],f=u.length;for(let p=0;p<
f;p++)n.add(u[p])}let s=[Array.from(n).sort((a,o)=>a-o)],l=s[0].length,r=new Map;for(let a=0;a<l;a++)r.set(s[0][a],a);for(let a=0;a<e.length;a++){let o=e[a],u=o[0];
for(let f=1;f<o.length;f++){let p=o[f],g=Array(l).fill(void 0),x=t?t[a][f]:ff,y=[];for(let v=0;v<p.length;v++){let M=p[v],$=r.get(u[v]);M===null?x!=uf&&(g[$]=M,
x==hf&&y.push($)):g[$]=M}df(g,y,l),s.push(g)}}return s}var mf=typeof queueMicrotask>"u"?e=>Promise.resolve().then(e):queueMicrotask;function gf(e){let t=e[0],n=t.
length,s=Array(n);for(let r=0;r<s.length;r++)s[r]=r;s.sort((r,a)=>t[r]-t[a]);let l=[];for(let r=0;r<e.length;r++){let a=e[r],o=Array(n);for(let u=0;u<n;u++)o[u]=
a[s[u]];l.push(o)}return l}function wf(e){let t=e[0][0],n=t.length;for(let s=1;s<e.length;s++){let l=e[s][0];if(l.length!=n)return!1;if(l!=t){for(let r=0;r<n;r++)
if(l[r]!=t[r])return!1}}return!0}function bf(e,t=100){let n=e.length;if(n<=1)return!0;let s=0,l=n-1;for(;s<=l&&e[s]==null;)s++;for(;l>=s&&e[l]==null;)l--;if(l<=
s)return!0;let r=ut(1,vt((l-s+1)/t));for(let a=e[s],o=s+r;o<=l;o+=r){let u=e[o];if(u!=null){if(u<=a)return!1;a=u}}return!0}var ua=["January","February","March",
"April","May","June","July","August","September","October","November","December"],fa=["Sunday","Monday","Tuesday","Wednesday","Thursday","Friday","Saturday"];function ha(e){
return e.slice(0,3)}var xf=fa.map(ha),_f=ua.map(ha),yf={MMMM:ua,MMM:_f,WWWW:fa,WWW:xf};function Ts(e){return(e<10?"0":"")+e}function vf(e){return(e<10?"00":e<100?
"0":"")+e}var kf={YYYY:e=>e.getFullYear(),YY:e=>(e.getFullYear()+"").slice(2),MMMM:(e,t)=>t.MMMM[e.getMonth()],MMM:(e,t)=>t.MMM[e.getMonth()],MM:e=>Ts(e.getMonth()+
1),M:e=>e.getMonth()+1,DD:e=>Ts(e.getDate()),D:e=>e.getDate(),WWWW:(e,t)=>t.WWWW[e.getDay()],WWW:(e,t)=>t.WWW[e.getDay()],HH:e=>Ts(e.getHours()),H:e=>e.getHours(),
h:e=>{let t=e.getHours();return t==0?12:t>12?t-12:t},AA:e=>e.getHours()>=12?"PM":"AM",aa:e=>e.getHours()>=12?"pm":"am",a:e=>e.getHours()>=12?"p":"a",mm:e=>Ts(e.
getMinutes()),m:e=>e.getMinutes(),ss:e=>Ts(e.getSeconds()),s:e=>e.getSeconds(),fff:e=>vf(e.getMilliseconds())};function Ro(e,t){t=t||yf;let n=[],s=/\{([a-z]+)\}|[^{]+/gi,
l;for(;l=s.exec(e);)n.push(l[0][0]=="{"?kf[l[1]]:l[0]);return r=>{let a="";for(let o=0;o<n.length;o++)a+=typeof n[o]=="string"?n[o]:n[o](r,t);return a}}var Sf=new Intl.
DateTimeFormat().resolvedOptions().timeZone;function Ef(e,t){let n;return t=="UTC"||t=="Etc/UTC"?n=new Date(+e+e.getTimezoneOffset()*6e4):t==Sf?n=e:(n=new Date(
e.toLocaleString("en-US",{timeZone:t})),n.setMilliseconds(e.getMilliseconds())),n}var da=e=>e%1==0,ul=[1,2,2.5,5],Mf=Ns(10,-32,0,ul),pa=Ns(10,0,32,ul),$f=pa.filter(
da),Ln=Mf.concat(pa),Oo=`
`,ma="{YYYY}",Li=Oo+ma,ga="{M}/{D}",Rs=Oo+ga,ol=Rs+"/{YY}",wa="{aa}",Tf="{h}:{mm}",rs=Tf+wa,Ni=Oo+rs,Di=":{ss}",me=null;function ba(e){let t=e*1e3,n=t*60,s=n*60,
l=s*24,r=l*30,a=l*365,u=(e==1?Ns(10,0,3,ul).filter(da):Ns(10,-3,0,ul)).concat([t,t*5,t*10,t*15,t*30,n,n*5,n*10,n*15,n*30,s,s*2,s*3,s*4,s*6,s*8,s*12,l,l*2,l*3,l*
4,l*5,l*6,l*7,l*8,l*9,l*10,l*15,r,r*2,r*3,r*4,r*6,a,a*2,a*5,a*10,a*25,a*50,a*100]),f=[[a,ma,me,me,me,me,me,me,1],[l*28,"{MMM}",Li,me,me,me,me,me,1],[l,ga,Li,me,
me,me,me,me,1],[s,"{h}"+wa,ol,me,Rs,me,me,me,1],[n,rs,ol,me,Rs,me,me,me,1],[t,Di,ol+" "+rs,me,Rs+" "+rs,me,Ni,me,1],[e,Di+".{fff}",ol+" "+rs,me,Rs+" "+rs,me,Ni,
me,1]];function p(g){return(x,y,v,M,$,C)=>{let w=[],T=$>=a,S=$>=r&&$<a,K=g(v),N=_e(K*e,3),Z=uo(K.getFullYear(),T?0:K.getMonth(),S||T?1:K.getDate()),G=_e(Z*e,3);
if(S||T){let ee=S?$/r:0,Q=T?$/a:0,L=N==G?N:_e(uo(Z.getFullYear()+Q,Z.getMonth()+ee,1)*e,3),ne=new Date(Ve(L/e)),B=ne.getFullYear(),j=ne.getMonth();for(let q=0;L<=
M;q++){let re=uo(B+Q*q,j+ee*q,1),V=re-g(_e(re*e,3));L=_e((+re+V)*e,3),L<=M&&w.push(L)}}else{let ee=$>=l?l:$,Q=vt(v)-vt(N),L=G+Q+dl(N-G,ee);w.push(L);let ne=g(L),
B=ne.getHours()+ne.getMinutes()/n+ne.getSeconds()/s,j=$/s,q=x.axes[y]._space,re=C/q;for(;L=_e(L+$,e==1?0:3),!(L>M);)if(j>1){let V=vt(_e(B+j,6))%24,ie=g(L).getHours()-
V;ie>1&&(ie=-1),L-=ie*s,B=(B+j)%24;let ge=w[w.length-1];_e((L-ge)/$,3)*re>=.7&&w.push(L)}else w.push(L)}return w}}return[u,f,p]}var[Af,Cf,Rf]=ba(1),[Of,Lf,Nf]=ba(
.001);Ns(2,-53,53,[1]);function Pi(e,t){return e.map(n=>n.map((s,l)=>l==0||l==8||s==null?s:t(l==1||n[8]==0?s:n[1]+s)))}function Ii(e,t){return(n,s,l,r,a)=>{let o=t.
find(v=>a>=v[0])||t[t.length-1],u,f,p,g,x,y;return s.map(v=>{let M=e(v),$=M.getFullYear(),C=M.getMonth(),w=M.getDate(),T=M.getHours(),S=M.getMinutes(),K=M.getSeconds(),
N=$!=u&&o[2]||C!=f&&o[3]||w!=p&&o[4]||T!=g&&o[5]||S!=x&&o[6]||K!=y&&o[7]||o[1];return u=$,f=C,p=w,g=T,x=S,y=K,N(M)})}}function Df(e,t){let n=Ro(t);return(s,l,r,a,o)=>l.
map(u=>n(e(u)))}function uo(e,t,n){return new Date(e,t,n)}function Wi(e,t){return t(e)}var Pf="{YYYY}-{MM}-{DD} {h}:{mm}{aa}";function Fi(e,t){return(n,s,l,r)=>r==
null?Eo:t(e(s))}function If(e,t){let n=e.series[t];return n.width?n.stroke(e,t):n.points.width?n.points.stroke(e,t):null}function Wf(e,t){return e.series[t].fill(
e,t)}var Ff={show:!0,live:!0,isolate:!1,mount:sf,markers:{show:!0,width:2,stroke:If,fill:Wf,dash:"solid"},idx:null,idxs:null,values:[]};function Bf(e,t){let n=e.
cursor.points,s=Nt(),l=n.size(e,t);Me(s,As,l),Me(s,Cs,l);let r=l/-2;Me(s,"marginLeft",r),Me(s,"marginTop",r);let a=n.width(e,t,l);return a&&Me(s,"borderWidth",a),
s}function zf(e,t){let n=e.series[t].points;return n._fill||n._stroke}function Hf(e,t){let n=e.series[t].points;return n._stroke||n._fill}function Vf(e,t){return e.
series[t].points.size}var fo=[0,0];function qf(e,t,n){return fo[0]=t,fo[1]=n,fo}function rl(e,t,n,s=!0){return l=>{l.button==0&&(!s||l.target==t)&&n(l)}}function ho(e,t,n,s=!0){
return l=>{(!s||l.target==t)&&n(l)}}var Uf={show:!0,x:!0,y:!0,lock:!1,move:qf,points:{one:!1,show:Bf,size:Vf,width:0,stroke:Hf,fill:zf},bind:{mousedown:rl,mouseup:rl,
click:rl,dblclick:rl,mousemove:ho,mouseleave:ho,mouseenter:ho},drag:{setScale:!0,x:!0,y:!1,dist:0,uni:null,click:(e,t)=>{t.stopPropagation(),t.stopImmediatePropagation()},
_x:!1,_y:!1},focus:{dist:(e,t,n,s,l)=>s-l,prox:-1,bias:0},hover:{skip:[void 0],prox:null,bias:0},left:-10,top:-10,idx:null,dataIdx:null,idxs:null,event:null},xa={
show:!0,stroke:"rgba(0,0,0,0.07)",width:2},Lo=Be({},xa,{filter:oa}),_a=Be({},Lo,{size:10}),ya=Be({},xa,{show:!1}),No='12px system-ui, -apple-system, "Segoe UI",\
 Roboto, "Helvetica Neue", Arial, "Noto Sans", sans-serif, "Apple Color Emoji", "Segoe UI Emoji", "Segoe UI Symbol", "Noto Color Emoji"',va="bold "+No,ka=1.5,Bi={
show:!0,scale:"x",stroke:So,space:50,gap:5,alignTo:1,size:50,labelGap:0,labelSize:30,labelFont:va,side:2,grid:Lo,ticks:_a,border:ya,font:No,lineGap:ka,rotate:0},
Yf="Value",Gf="Time",zi={show:!0,scale:"x",auto:!1,sorted:1,min:xe,max:-xe,idxs:[]};function Kf(e,t,n,s,l){return t.map(r=>r==null?"":Ao(r))}function jf(e,t,n,s,l,r,a){
let o=[],u=bn.get(l)||0;n=a?n:_e(dl(n,l),u);for(let f=n;f<=s;f=_e(f+l,u))o.push(Object.is(f,-0)?0:f);return o}function xo(e,t,n,s,l,r,a){let o=[],u=e.scales[e.axes[t].
scale].log,f=u==10?on:na,p=vt(f(n));l=as(u,p),u==10&&(l=Ln[Ht(l,Ln)]);let g=n,x=l*u;u==10&&(x=Ln[Ht(x,Ln)]);do o.push(g),g=g+l,u==10&&!bn.has(g)&&(g=_e(g,bn.get(
l))),g>=x&&(l=g,x=l*u,u==10&&(x=Ln[Ht(x,Ln)]));while(g<=s);return o}function Jf(e,t,n,s,l,r,a){let u=e.scales[e.axes[t].scale].asinh,f=s>u?xo(e,t,ut(u,n),s,l):[
u],p=s>=0&&n<=0?[0]:[];return(n<-u?xo(e,t,ut(u,-s),-n,l):[u]).reverse().map(x=>-x).concat(p,f)}var Sa=/./,Zf=/[12357]/,Qf=/[125]/,Hi=/1/,_o=(e,t,n,s)=>e.map((l,r)=>t==
4&&l==0||r%s==0&&n.test(l.toExponential()[l<0?1:0])?l:null);function Xf(e,t,n,s,l){let r=e.axes[n],a=r.scale,o=e.scales[a],u=e.valToPos,f=r._space,p=u(10,a),g=u(
9,a)-p>=f?Sa:u(7,a)-p>=f?Zf:u(5,a)-p>=f?Qf:Hi;if(g==Hi){let x=qe(u(1,a)-p);if(x<f)return _o(t.slice().reverse(),o.distr,g,Dt(f/x)).reverse()}return _o(t,o.distr,
g,1)}function eh(e,t,n,s,l){let r=e.axes[n],a=r.scale,o=r._space,u=e.valToPos,f=qe(u(1,a)-u(2,a));return f<o?_o(t.slice().reverse(),3,Sa,Dt(o/f)).reverse():t}function th(e,t,n,s){
return s==null?Eo:t==null?"":Ao(t)}var Vi={show:!0,scale:"y",stroke:So,space:30,gap:5,alignTo:1,size:50,labelGap:0,labelSize:30,labelFont:va,side:3,grid:Lo,ticks:_a,
border:ya,font:No,lineGap:ka,rotate:0};function nh(e,t){let n=3+(e||1)*2;return _e(n*t,3)}function sh(e,t){let{scale:n,idxs:s}=e.series[0],l=e._data[0],r=e.valToPos(
l[s[0]],n,!0),a=e.valToPos(l[s[1]],n,!0),o=qe(a-r),u=e.series[t],f=o/(u.points.space*he);return s[1]-s[0]<=f}var qi={scale:null,auto:!0,sorted:0,min:xe,max:-xe},
Ea=(e,t,n,s,l)=>l,Ui={show:!0,auto:!0,sorted:0,gaps:Ea,alpha:1,facets:[Be({},qi,{scale:"x"}),Be({},qi,{scale:"y"})]},Yi={scale:"y",auto:!0,sorted:0,show:!0,spanGaps:!1,
gaps:Ea,alpha:1,points:{show:sh,filter:null},values:null,min:xe,max:-xe,idxs:[],path:null,clip:null};function lh(e,t,n,s,l){return n/10}var Ma={time:!0,auto:!0,
distr:1,log:10,asinh:1,min:null,max:null,dir:1,ori:0},oh=Be({},Ma,{time:!1,ori:1}),Gi={};function $a(e,t){let n=Gi[e];return n||(n={key:e,plots:[],sub(s){n.plots.
push(s)},unsub(s){n.plots=n.plots.filter(l=>l!=s)},pub(s,l,r,a,o,u,f){for(let p=0;p<n.plots.length;p++)n.plots[p]!=l&&n.plots[p].pub(s,l,r,a,o,u,f)}},e!=null&&(Gi[e]=
n)),n}var fs=1,yo=2;function In(e,t,n){let s=e.mode,l=e.series[t],r=s==2?e._data[t]:e._data,a=e.scales,o=e.bbox,u=r[0],f=s==2?r[1]:r[t],p=s==2?a[l.facets[0].scale]:
a[e.series[0].scale],g=s==2?a[l.facets[1].scale]:a[l.scale],x=o.left,y=o.top,v=o.width,M=o.height,$=e.valToPosH,C=e.valToPosV;return p.ori==0?n(l,u,f,p,g,$,C,x,
y,v,M,gl,ds,bl,Aa,Ra):n(l,u,f,p,g,C,$,y,x,M,v,wl,ps,Io,Ca,Oa)}function Do(e,t){let n=0,s=0,l=ce(e.bands,Co);for(let r=0;r<l.length;r++){let a=l[r];a.series[0]==
t?n=a.dir:a.series[1]==t&&(a.dir==1?s|=1:s|=2)}return[n,s==1?-1:s==2?1:s==3?2:0]}function rh(e,t,n,s,l){let r=e.mode,a=e.series[t],o=r==2?a.facets[1].scale:a.scale,
u=e.scales[o];return l==-1?u.min:l==1?u.max:u.distr==3?u.dir==1?u.min:u.max:0}function rn(e,t,n,s,l,r){return In(e,t,(a,o,u,f,p,g,x,y,v,M,$)=>{let C=a.pxRound,w=f.
dir*(f.ori==0?1:-1),T=f.ori==0?ds:ps,S,K;w==1?(S=n,K=s):(S=s,K=n);let N=C(g(o[S],f,M,y)),Z=C(x(u[S],p,$,v)),G=C(g(o[K],f,M,y)),ee=C(x(r==1?p.max:p.min,p,$,v)),Q=new Path2D(
l);return T(Q,G,ee),T(Q,N,ee),T(Q,N,Z),Q})}function ml(e,t,n,s,l,r){let a=null;if(e.length>0){a=new Path2D;let o=t==0?bl:Io,u=n;for(let g=0;g<e.length;g++){let x=e[g];
if(x[1]>x[0]){let y=x[0]-u;y>0&&o(a,u,s,y,s+r),u=x[1]}}let f=n+l-u,p=10;f>0&&o(a,u,s-p/2,f,s+r+p)}return a}function ih(e,t,n){let s=e[e.length-1];s&&s[0]==t?s[1]=
n:e.push([t,n])}function Po(e,t,n,s,l,r,a){let o=[],u=e.length;for(let f=l==1?n:s;f>=n&&f<=s;f+=l)if(t[f]===null){let g=f,x=f;if(l==1)for(;++f<=s&&t[f]===null;)
x=f;else for(;--f>=n&&t[f]===null;)x=f;let y=r(e[g]),v=x==g?y:r(e[x]),M=g-l;y=a<=0&&M>=0&&M<u?r(e[M]):y;let C=x+l;v=a>=0&&C>=0&&C<u?r(e[C]):v,v>=y&&o.push([y,v])}
return o}function Ki(e){return e==0?la:e==1?Ve:t=>On(t,e)}function Ta(e){let t=e==0?gl:wl,n=e==0?(l,r,a,o,u,f)=>{l.arcTo(r,a,o,u,f)}:(l,r,a,o,u,f)=>{l.arcTo(a,r,
u,o,f)},s=e==0?(l,r,a,o,u)=>{l.rect(r,a,o,u)}:(l,r,a,o,u)=>{l.rect(a,r,u,o)};return(l,r,a,o,u,f=0,p=0)=>{f==0&&p==0?s(l,r,a,o,u):(f=Vt(f,o/2,u/2),p=Vt(p,o/2,u/2),
t(l,r+f,a),n(l,r+o,a,r+o,a+u,f),n(l,r+o,a+u,r,a+u,p),n(l,r,a+u,r,a,p),n(l,r,a,r+o,a,f),l.closePath())}}var gl=(e,t,n)=>{e.moveTo(t,n)},wl=(e,t,n)=>{e.moveTo(n,t)},
ds=(e,t,n)=>{e.lineTo(t,n)},ps=(e,t,n)=>{e.lineTo(n,t)},bl=Ta(0),Io=Ta(1),Aa=(e,t,n,s,l,r)=>{e.arc(t,n,s,l,r)},Ca=(e,t,n,s,l,r)=>{e.arc(n,t,s,l,r)},Ra=(e,t,n,s,l,r,a)=>{
e.bezierCurveTo(t,n,s,l,r,a)},Oa=(e,t,n,s,l,r,a)=>{e.bezierCurveTo(n,t,l,s,a,r)};function La(e){return(t,n,s,l,r)=>In(t,n,(a,o,u,f,p,g,x,y,v,M,$)=>{let{pxRound:C,
points:w}=a,T,S;f.ori==0?(T=gl,S=Aa):(T=wl,S=Ca);let K=_e(w.width*he,3),N=(w.size-w.width)/2*he,Z=_e(N*2,3),G=new Path2D,ee=new Path2D,{left:Q,top:L,width:ne,height:B}=t.
bbox;bl(ee,Q-Z,L-Z,ne+Z*2,B+Z*2);let j=q=>{if(u[q]!=null){let re=C(g(o[q],f,M,y)),V=C(x(u[q],p,$,v));T(G,re+N,V),S(G,re,V,N,0,il*2)}};if(r)r.forEach(j);else for(let q=s;q<=
l;q++)j(q);return{stroke:K>0?G:null,fill:G,clip:ee,flags:fs|yo}})}function Na(e){return(t,n,s,l,r,a)=>{s!=l&&(r!=s&&a!=s&&e(t,n,s),r!=l&&a!=l&&e(t,n,l),e(t,n,a))}}
var ah=Na(ds),ch=Na(ps);function Da(e){let t=ce(e?.alignGaps,0);return(n,s,l,r)=>In(n,s,(a,o,u,f,p,g,x,y,v,M,$)=>{[l,r]=fl(u,l,r);let C=a.pxRound,w=B=>C(g(B,f,M,
y)),T=B=>C(x(B,p,$,v)),S,K;f.ori==0?(S=ds,K=ah):(S=ps,K=ch);let N=f.dir*(f.ori==0?1:-1),Z={stroke:new Path2D,fill:null,clip:null,band:null,gaps:null,flags:fs},G=Z.
stroke,ee=!1;if(r-l>=M*4){let B=z=>n.posToVal(z,f.key,!0),j=null,q=null,re,V,ht,$e=w(o[N==1?l:r]),ie=w(o[l]),ge=w(o[r]),se=B(N==1?ie+1:ge-1);for(let z=N==1?l:r;z>=
l&&z<=r;z+=N){let ze=o[z],Te=(N==1?ze<se:ze>se)?$e:w(ze),de=u[z];Te==$e?de!=null?(V=de,j==null?(S(G,Te,T(V)),re=j=q=V):V<j?j=V:V>q&&(q=V)):de===null&&(ee=!0):(j!=
null&&K(G,$e,T(j),T(q),T(re),T(V)),de!=null?(V=de,S(G,Te,T(V)),j=q=re=V):(j=q=null,de===null&&(ee=!0)),$e=Te,se=B($e+N))}j!=null&&j!=q&&ht!=$e&&K(G,$e,T(j),T(q),
T(re),T(V))}else for(let B=N==1?l:r;B>=l&&B<=r;B+=N){let j=u[B];j===null?ee=!0:j!=null&&S(G,w(o[B]),T(j))}let[L,ne]=Do(n,s);if(a.fill!=null||L!=0){let B=Z.fill=
new Path2D(G),j=a.fillTo(n,s,a.min,a.max,L),q=T(j),re=w(o[l]),V=w(o[r]);N==-1&&([V,re]=[re,V]),S(B,V,q),S(B,re,q)}if(!a.spanGaps){let B=[];ee&&B.push(...Po(o,u,
l,r,N,w,t)),Z.gaps=B=a.gaps(n,s,l,r,B),Z.clip=ml(B,f.ori,y,v,M,$)}return ne!=0&&(Z.band=ne==2?[rn(n,s,l,r,G,-1),rn(n,s,l,r,G,1)]:rn(n,s,l,r,G,ne)),Z})}function uh(e){
let t=ce(e.align,1),n=ce(e.ascDesc,!1),s=ce(e.alignGaps,0),l=ce(e.extend,!1);return(r,a,o,u)=>In(r,a,(f,p,g,x,y,v,M,$,C,w,T)=>{[o,u]=fl(g,o,u);let S=f.pxRound,{
left:K,width:N}=r.bbox,Z=ie=>S(v(ie,x,w,$)),G=ie=>S(M(ie,y,T,C)),ee=x.ori==0?ds:ps,Q={stroke:new Path2D,fill:null,clip:null,band:null,gaps:null,flags:fs},L=Q.stroke,
ne=x.dir*(x.ori==0?1:-1),B=G(g[ne==1?o:u]),j=Z(p[ne==1?o:u]),q=j,re=j;l&&t==-1&&(re=K,ee(L,re,B)),ee(L,j,B);for(let ie=ne==1?o:u;ie>=o&&ie<=u;ie+=ne){let ge=g[ie];
if(ge==null)continue;let se=Z(p[ie]),z=G(ge);t==1?ee(L,se,B):ee(L,q,z),ee(L,se,z),B=z,q=se}let V=q;l&&t==1&&(V=K+N,ee(L,V,B));let[ht,$e]=Do(r,a);if(f.fill!=null||
ht!=0){let ie=Q.fill=new Path2D(L),ge=f.fillTo(r,a,f.min,f.max,ht),se=G(ge);ee(ie,V,se),ee(ie,re,se)}if(!f.spanGaps){let ie=[];ie.push(...Po(p,g,o,u,ne,Z,s));let ge=f.
width*he/2,se=n||t==1?ge:-ge,z=n||t==-1?-ge:ge;ie.forEach(ze=>{ze[0]+=se,ze[1]+=z}),Q.gaps=ie=f.gaps(r,a,o,u,ie),Q.clip=ml(ie,x.ori,$,C,w,T)}return $e!=0&&(Q.band=
$e==2?[rn(r,a,o,u,L,-1),rn(r,a,o,u,L,1)]:rn(r,a,o,u,L,$e)),Q})}function ji(e,t,n,s,l,r,a=xe){if(e.length>1){let o=null;for(let u=0,f=1/0;u<e.length;u++)if(t[u]!==
void 0){if(o!=null){let p=qe(e[u]-e[o]);p<f&&(f=p,a=qe(n(e[u],s,l,r)-n(e[o],s,l,r)))}o=u}}return a}function fh(e){e=e||Ls;let t=ce(e.size,[.6,xe,1]),n=e.align||
0,s=e.gap||0,l=e.radius;l=l==null?[0,0]:typeof l=="number"?[l,0]:l;let r=oe(l),a=1-t[0],o=ce(t[1],xe),u=ce(t[2],1),f=ce(e.disp,Ls),p=ce(e.each,y=>{}),{fill:g,stroke:x}=f;
return(y,v,M,$)=>In(y,v,(C,w,T,S,K,N,Z,G,ee,Q,L)=>{let ne=C.pxRound,B=n,j=s*he,q=o*he,re=u*he,V,ht;S.ori==0?[V,ht]=r(y,v):[ht,V]=r(y,v);let $e=S.dir*(S.ori==0?1:
-1),ie=S.ori==0?bl:Io,ge=S.ori==0?p:(I,ye,He,Vn,kn,Ut,Sn)=>{p(I,ye,He,kn,Vn,Sn,Ut)},se=ce(y.bands,Co).find(I=>I.series[0]==v),z=se!=null?se.dir:0,ze=C.fillTo(y,
v,C.min,C.max,z),ot=ne(Z(ze,K,L,ee)),Te,de,Pt,gt=Q,Re=ne(C.width*he),qt=!1,tn=null,Mt=null,cn=null,Bn=null;g!=null&&(Re==0||x!=null)&&(qt=!0,tn=g.values(y,v,M,$),
Mt=new Map,new Set(tn).forEach(I=>{I!=null&&Mt.set(I,new Path2D)}),Re>0&&(cn=x.values(y,v,M,$),Bn=new Map,new Set(cn).forEach(I=>{I!=null&&Bn.set(I,new Path2D)})));
let{x0:zn,size:gs}=f;if(zn!=null&&gs!=null){B=1,w=zn.values(y,v,M,$),zn.unit==2&&(w=w.map(He=>y.posToVal(G+He*Q,S.key,!0)));let I=gs.values(y,v,M,$);gs.unit==2?
de=I[0]*Q:de=N(I[0],S,Q,G)-N(0,S,Q,G),gt=ji(w,T,N,S,Q,G,gt),Pt=gt-de+j}else gt=ji(w,T,N,S,Q,G,gt),Pt=gt*a+j,de=gt-Pt;Pt<1&&(Pt=0),Re>=de/2&&(Re=0),Pt<5&&(ne=la);
let Bs=Pt>0,yn=gt-Pt-(Bs?Re:0);de=ne(bo(yn,re,q)),Te=(B==0?de/2:B==$e?0:de)-B*$e*((B==0?j/2:0)+(Bs?Re/2:0));let rt={stroke:null,fill:null,clip:null,band:null,gaps:null,
flags:0},Hn=qt?null:new Path2D,nn=null;if(se!=null)nn=y.data[se.series[1]];else{let{y0:I,y1:ye}=f;I!=null&&ye!=null&&(T=ye.values(y,v,M,$),nn=I.values(y,v,M,$))}
let vn=V*de,te=ht*de;for(let I=$e==1?M:$;I>=M&&I<=$;I+=$e){let ye=T[I];if(ye==null)continue;if(nn!=null){let dt=nn[I]??0;if(ye-dt==0)continue;ot=Z(dt,K,L,ee)}let He=S.
distr!=2||f!=null?w[I]:I,Vn=N(He,S,Q,G),kn=Z(ce(ye,ze),K,L,ee),Ut=ne(Vn-Te),Sn=ne(ut(kn,ot)),wt=ne(Vt(kn,ot)),$t=Sn-wt;if(ye!=null){let dt=ye<0?te:vn,It=ye<0?vn:
te;qt?(Re>0&&cn[I]!=null&&ie(Bn.get(cn[I]),Ut,wt+vt(Re/2),de,ut(0,$t-Re),dt,It),tn[I]!=null&&ie(Mt.get(tn[I]),Ut,wt+vt(Re/2),de,ut(0,$t-Re),dt,It)):ie(Hn,Ut,wt+
vt(Re/2),de,ut(0,$t-Re),dt,It),ge(y,v,I,Ut-Re/2,wt,de+Re,$t)}}return Re>0?rt.stroke=qt?Bn:Hn:qt||(rt._fill=C.width==0?C._fill:C._stroke??C._fill,rt.width=0),rt.
fill=qt?Mt:Hn,rt})}function hh(e,t){let n=ce(t?.alignGaps,0);return(s,l,r,a)=>In(s,l,(o,u,f,p,g,x,y,v,M,$,C)=>{[r,a]=fl(f,r,a);let w=o.pxRound,T=V=>w(x(V,p,$,v)),
S=V=>w(y(V,g,C,M)),K,N,Z;p.ori==0?(K=gl,Z=ds,N=Ra):(K=wl,Z=ps,N=Oa);let G=p.dir*(p.ori==0?1:-1),ee=T(u[G==1?r:a]),Q=ee,L=[],ne=[];for(let V=G==1?r:a;V>=r&&V<=a;V+=
G)if(f[V]!=null){let $e=u[V],ie=T($e);L.push(Q=ie),ne.push(S(f[V]))}let B={stroke:e(L,ne,K,Z,N,w),fill:null,clip:null,band:null,gaps:null,flags:fs},j=B.stroke,[
q,re]=Do(s,l);if(o.fill!=null||q!=0){let V=B.fill=new Path2D(j),ht=o.fillTo(s,l,o.min,o.max,q),$e=S(ht);Z(V,Q,$e),Z(V,ee,$e)}if(!o.spanGaps){let V=[];V.push(...Po(
u,f,r,a,G,T,n)),B.gaps=V=o.gaps(s,l,r,a,V),B.clip=ml(V,p.ori,v,M,$,C)}return re!=0&&(B.band=re==2?[rn(s,l,r,a,j,-1),rn(s,l,r,a,j,1)]:rn(s,l,r,a,j,re)),B})}function dh(e){
return hh(ph,e)}function ph(e,t,n,s,l,r){let a=e.length;if(a<2)return null;let o=new Path2D;if(n(o,e[0],t[0]),a==2)s(o,e[1],t[1]);else{let u=Array(a),f=Array(a-
1),p=Array(a-1),g=Array(a-1);for(let x=0;x<a-1;x++)p[x]=t[x+1]-t[x],g[x]=e[x+1]-e[x],f[x]=p[x]/g[x];u[0]=f[0];for(let x=1;x<a-1;x++)f[x]===0||f[x-1]===0||f[x-1]>
0!=f[x]>0?u[x]=0:(u[x]=3*(g[x-1]+g[x])/((2*g[x]+g[x-1])/f[x-1]+(g[x]+2*g[x-1])/f[x]),isFinite(u[x])||(u[x]=0));u[a-1]=f[a-2];for(let x=0;x<a-1;x++)l(o,e[x]+g[x]/
3,t[x]+u[x]*g[x]/3,e[x+1]-g[x]/3,t[x+1]-u[x+1]*g[x]/3,e[x+1],t[x+1])}return o}var vo=new Set;function Ji(){for(let e of vo)e.syncRect(!0)}hs&&(Dn(Gu,is,Ji),Dn(Ku,
is,Ji,!0),Dn(al,is,()=>{nt.pxRatio=he}));var mh=Da(),gh=La();function Zi(e,t,n,s){return(s?[e[0],e[1]].concat(e.slice(2)):[e[0]].concat(e.slice(1))).map((r,a)=>ko(
r,a,t,n))}function wh(e,t){return e.map((n,s)=>s==0?{}:Be({},t,n))}function ko(e,t,n,s){return Be({},t==0?n:s,e)}function Pa(e,t,n){return t==null?cs:[t,n]}var bh=Pa;
function xh(e,t,n){return t==null?cs:cl(t,n,To,!0)}function Ia(e,t,n,s){return t==null?cs:hl(t,n,e.scales[s].log,!1)}var _h=Ia;function Wa(e,t,n,s){return t==null?
cs:$o(t,n,e.scales[s].log,!1)}var yh=Wa;function vh(e,t,n,s,l){let r=ut(Ai(e),Ai(t)),a=t-e,o=Ht(l/s*a,n);do{let u=n[o],f=s*u/a;if(f>=l&&r+(u<5?bn.get(u):0)<=17)
return[u,f]}while(++o<n.length);return[0,0]}function Qi(e){let t,n;return e=e.replace(/(\d+)px/,(s,l)=>(t=Ve((n=+l)*he))+"px"),[e,t,n]}function kh(e){e.show&&[e.
font,e.labelFont].forEach(t=>{let n=_e(t[2]*he,1);t[0]=t[0].replace(/[0-9.]+px/,n+"px"),t[1]=n})}function nt(e,t,n){let s={mode:ce(e.mode,1)},l=s.mode;function r(i,c,h,d){
let b=c.valToPct(i);return d+h*(c.dir==-1?1-b:b)}function a(i,c,h,d){let b=c.valToPct(i);return d+h*(c.dir==-1?b:1-b)}function o(i,c,h,d){return c.ori==0?r(i,c,
h,d):a(i,c,h,d)}s.valToPosH=r,s.valToPosV=a;let u=!1;s.status=0;let f=s.root=Nt(Au);if(e.id!=null&&(f.id=e.id),yt(f,e.class),e.title){let i=Nt(Ou,f);i.textContent=
e.title}let p=zt("canvas"),g=s.ctx=p.getContext("2d"),x=Nt(Lu,f);Dn("click",x,i=>{i.target===v&&(ke!=es||Ae!=ts)&&tt.click(s,i)},!0);let y=s.under=Nt(Nu,x);x.appendChild(
p);let v=s.over=Nt(Du,x);e=us(e);let M=+ce(e.pxAlign,1),$=Ki(M);(e.plugins||[]).forEach(i=>{i.opts&&(e=i.opts(s,e)||e)});let C=e.ms||.001,w=s.series=l==1?Zi(e.series||
[],zi,Yi,!1):wh(e.series||[null],Ui),T=s.axes=Zi(e.axes||[],Bi,Vi,!0),S=s.scales={},K=s.bands=e.bands||[];K.forEach(i=>{i.fill=oe(i.fill||null),i.dir=ce(i.dir,-1)});
let N=l==2?w[1].facets[0].scale:w[0].scale,Z={axes:Hc,series:Ic},G=(e.drawOrder||["axes","series"]).map(i=>Z[i]);function ee(i){let c=i.distr==3?h=>on(h>0?h:i.clamp(
s,h,i.min,i.max,i.key)):i.distr==4?h=>co(h,i.asinh):i.distr==100?h=>i.fwd(h):h=>h;return h=>{let d=c(h),{_min:b,_max:_}=i,k=_-b;return(d-b)/k}}function Q(i){let c=S[i];
if(c==null){let h=(e.scales||Ls)[i]||Ls;if(h.from!=null){Q(h.from);let d=Be({},S[h.from],h,{key:i});d.valToPct=ee(d),S[i]=d}else{c=S[i]=Be({},i==N?Ma:oh,h),c.key=
i;let d=c.time,b=c.range,_=wn(b);if((i!=N||l==2&&!d)&&(_&&(b[0]==null||b[1]==null)&&(b={min:b[0]==null?Mi:{mode:1,hard:b[0],soft:b[0]},max:b[1]==null?Mi:{mode:1,
hard:b[1],soft:b[1]}},_=!1),!_&&pl(b))){let k=b;b=(A,R,D)=>R==null?cs:cl(R,D,k)}c.range=oe(b||(d?bh:i==N?c.distr==3?_h:c.distr==4?yh:Pa:c.distr==3?Ia:c.distr==4?
Wa:xh)),c.auto=oe(_?!1:c.auto),c.clamp=oe(c.clamp||lh),c._min=c._max=null,c.valToPct=ee(c)}}}Q("x"),Q("y"),l==1&&w.forEach(i=>{Q(i.scale)}),T.forEach(i=>{Q(i.scale)});
for(let i in e.scales)Q(i);let L=S[N],ne=L.distr,B,j;L.ori==0?(yt(f,Cu),B=r,j=a):(yt(f,Ru),B=a,j=r);let q={};for(let i in S){let c=S[i];(c.min!=null||c.max!=null)&&
(q[i]={min:c.min,max:c.max},c.min=c.max=null)}let re=e.tzDate||(i=>new Date(Ve(i/C))),V=e.fmtDate||Ro,ht=C==1?Rf(re):Nf(re),$e=Ii(re,Pi(C==1?Cf:Lf,V)),ie=Fi(re,
Wi(Pf,V)),ge=[],se=s.legend=Be({},Ff,e.legend),z=s.cursor=Be({},Uf,{drag:{y:l==2}},e.cursor),ze=se.show,ot=z.show,Te=se.markers;se.idxs=ge,Te.width=oe(Te.width),
Te.dash=oe(Te.dash),Te.stroke=oe(Te.stroke),Te.fill=oe(Te.fill);let de,Pt,gt,Re=[],qt=[],tn,Mt=!1,cn={};if(se.live){let i=w[1]?w[1].values:null;Mt=i!=null,tn=Mt?
i(s,1,0):{_:0};for(let c in tn)cn[c]=Eo}if(ze)if(de=zt("table",zu,f),gt=zt("tbody",null,de),se.mount(s,de),Mt){Pt=zt("thead",null,de,gt);let i=zt("tr",null,Pt);
zt("th",null,i);for(var Bn in tn)zt("th",di,i).textContent=Bn}else yt(de,Vu),se.live&&yt(de,Hu);let zn={show:!0},gs={show:!1};function Bs(i,c){if(c==0&&(Mt||!se.
live||l==2))return cs;let h=[],d=zt("tr",qu,gt,gt.childNodes[c]);yt(d,i.class),i.show||yt(d,Nn);let b=zt("th",null,d);if(Te.show){let A=Nt(Uu,b);if(c>0){let R=Te.
width(s,c);R&&(A.style.border=R+"px "+Te.dash(s,c)+" "+Te.stroke(s,c)),A.style.background=Te.fill(s,c)}}let _=Nt(di,b);i.label instanceof HTMLElement?_.appendChild(
i.label):_.textContent=i.label,c>0&&(Te.show||(_.style.color=i.width>0?Te.stroke(s,c):Te.fill(s,c)),rt("click",b,A=>{if(z._lock)return;Mn(A);let R=w.indexOf(i);
if((A.ctrlKey||A.metaKey)!=se.isolate){let D=w.some((P,W)=>W>0&&W!=R&&P.show);w.forEach((P,W)=>{W>0&&Gt(W,D?W==R?zn:gs:zn,!0,We.setSeries)})}else Gt(R,{show:!i.
show},!0,We.setSeries)},!1),Un&&rt(wi,b,A=>{z._lock||(Mn(A),Gt(w.indexOf(i),ss,!0,We.setSeries))},!1));for(var k in tn){let A=zt("td",Yu,d);A.textContent="--",h.
push(A)}return[d,h]}let yn=new Map;function rt(i,c,h,d=!0){let b=yn.get(c)||{},_=z.bind[i](s,c,h,d);_&&(Dn(i,c,b[i]=_),yn.set(c,b))}function Hn(i,c,h){let d=yn.
get(c)||{};for(let b in d)(i==null||b==i)&&(wo(b,c,d[b]),delete d[b]);i==null&&yn.delete(c)}let nn=0,vn=0,te=0,I=0,ye=0,He=0,Vn=ye,kn=He,Ut=te,Sn=I,wt=0,$t=0,dt=0,
It=0;s.bbox={};let $l=!1,zs=!1,qn=!1,En=!1,Hs=!1,Tt=!1;function Tl(i,c,h){(h||i!=s.width||c!=s.height)&&tr(i,c),Jn(!1),qn=!0,zs=!0,Zn()}function tr(i,c){s.width=
nn=te=i,s.height=vn=I=c,ye=He=0,Cc(),Rc();let h=s.bbox;wt=h.left=On(ye*he,.5),$t=h.top=On(He*he,.5),dt=h.width=On(te*he,.5),It=h.height=On(I*he,.5)}let $c=3;function Tc(){
let i=!1,c=0;for(;!i;){c++;let h=Bc(c),d=zc(c);i=c==$c||h&&d,i||(tr(s.width,s.height),zs=!0)}}function Ac({width:i,height:c}){Tl(i,c)}s.setSize=Ac;function Cc(){
let i=!1,c=!1,h=!1,d=!1;T.forEach((b,_)=>{if(b.show&&b._show){let{side:k,_size:A}=b,R=k%2,D=b.label!=null?b.labelSize:0,P=A+D;P>0&&(R?(te-=P,k==3?(ye+=P,d=!0):h=
!0):(I-=P,k==0?(He+=P,i=!0):c=!0))}}),$n[0]=i,$n[1]=h,$n[2]=c,$n[3]=d,te-=un[1]+un[3],ye+=un[3],I-=un[2]+un[0],He+=un[0]}function Rc(){let i=ye+te,c=He+I,h=ye,d=He;
function b(_,k){switch(_){case 1:return i+=k,i-k;case 2:return c+=k,c-k;case 3:return h-=k,h+k;case 0:return d-=k,d+k}}T.forEach((_,k)=>{if(_.show&&_._show){let A=_.
side;_._pos=b(A,_._size),_.label!=null&&(_._lpos=b(A,_.labelSize))}})}if(z.dataIdx==null){let i=z.hover,c=i.skip=new Set(i.skip??[]);c.add(void 0);let h=i.prox=
oe(i.prox),d=i.bias??=0;z.dataIdx=(b,_,k,A)=>{if(_==0)return k;let R=k,D=h(b,_,k,A)??xe,P=D>=0&&D<xe,W=L.ori==0?te:I,J=z.left,ue=t[0],ae=t[_];if(c.has(ae[k])){R=
null;let le=null,Y=null,H;if(d==0||d==-1)for(H=k;le==null&&H-- >0;)c.has(ae[H])||(le=H);if(d==0||d==1)for(H=k;Y==null&&H++<ae.length;)c.has(ae[H])||(Y=H);if(le!=
null||Y!=null)if(P){let Ee=le==null?-1/0:B(ue[le],L,W,0),Le=Y==null?1/0:B(ue[Y],L,W,0),Je=J-Ee,we=Le-J;Je<=we?Je<=D&&(R=le):we<=D&&(R=Y)}else R=Y==null?le:le==null?
Y:k-le<=Y-k?le:Y}else P&&qe(J-B(ue[k],L,W,0))>D&&(R=null);return R}}let Mn=i=>{z.event=i};z.idxs=ge,z._lock=!1;let st=z.points;st.show=oe(st.show),st.size=oe(st.
size),st.stroke=oe(st.stroke),st.width=oe(st.width),st.fill=oe(st.fill);let Yt=s.focus=Be({},e.focus||{alpha:.3},z.focus),Un=Yt.prox>=0,Yn=Un&&st.one,At=[],Gn=[],
Kn=[];function nr(i,c){let h=st.show(s,c);if(h instanceof HTMLElement)return yt(h,Bu),yt(h,i.class),en(h,-10,-10,te,I),v.insertBefore(h,At[c]),h}function sr(i,c){
if(l==1||c>0){let h=l==1&&S[i.scale].time,d=i.value;i.value=h?Oi(d)?Fi(re,Wi(d,V)):d||ie:d||th,i.label=i.label||(h?Gf:Yf)}if(Yn||c>0){i.width=i.width==null?1:i.
width,i.paths=i.paths||mh||lf,i.fillTo=oe(i.fillTo||rh),i.pxAlign=+ce(i.pxAlign,M),i.pxRound=Ki(i.pxAlign),i.stroke=oe(i.stroke||null),i.fill=oe(i.fill||null),i.
_stroke=i._fill=i._paths=i._focus=null;let h=nh(ut(1,i.width),1),d=i.points=Be({},{size:h,width:ut(1,h*.2),stroke:i.stroke,space:h*2,paths:gh,_stroke:null,_fill:null},
i.points);d.show=oe(d.show),d.filter=oe(d.filter),d.fill=oe(d.fill),d.stroke=oe(d.stroke),d.paths=oe(d.paths),d.pxAlign=i.pxAlign}if(ze){let h=Bs(i,c);Re.splice(
c,0,h[0]),qt.splice(c,0,h[1]),se.values.push(null)}if(ot){ge.splice(c,0,null);let h=null;Yn?c==0&&(h=nr(i,c)):c>0&&(h=nr(i,c)),At.splice(c,0,h),Gn.splice(c,0,0),
Kn.splice(c,0,0)}je("addSeries",c)}function Oc(i,c){c=c??w.length,i=l==1?ko(i,c,zi,Yi):ko(i,c,{},Ui),w.splice(c,0,i),sr(w[c],c)}s.addSeries=Oc;function Lc(i){if(w.
splice(i,1),ze){se.values.splice(i,1),qt.splice(i,1);let c=Re.splice(i,1)[0];Hn(null,c.firstChild),c.remove()}ot&&(ge.splice(i,1),At.splice(i,1)[0].remove(),Gn.
splice(i,1),Kn.splice(i,1)),je("delSeries",i)}s.delSeries=Lc;let $n=[!1,!1,!1,!1];function Nc(i,c){if(i._show=i.show,i.show){let h=i.side%2,d=S[i.scale];d==null&&
(i.scale=h?w[1].scale:N,d=S[i.scale]);let b=d.time;i.size=oe(i.size),i.space=oe(i.space),i.rotate=oe(i.rotate),wn(i.incrs)&&i.incrs.forEach(k=>{!bn.has(k)&&bn.set(
k,ia(k))}),i.incrs=oe(i.incrs||(d.distr==2?$f:b?C==1?Af:Of:Ln)),i.splits=oe(i.splits||(b&&d.distr==1?ht:d.distr==3?xo:d.distr==4?Jf:jf)),i.stroke=oe(i.stroke),i.
grid.stroke=oe(i.grid.stroke),i.ticks.stroke=oe(i.ticks.stroke),i.border.stroke=oe(i.border.stroke);let _=i.values;i.values=wn(_)&&!wn(_[0])?oe(_):b?wn(_)?Ii(re,
Pi(_,V)):Oi(_)?Df(re,_):_||$e:_||Kf,i.filter=oe(i.filter||(d.distr>=3&&d.log==10?Xf:d.distr==3&&d.log==2?eh:oa)),i.font=Qi(i.font),i.labelFont=Qi(i.labelFont),i.
_size=i.size(s,null,c,0),i._space=i._rotate=i._incrs=i._found=i._splits=i._values=null,i._size>0&&($n[c]=!0,i._el=Nt(Pu,x))}}function ws(i,c,h,d){let[b,_,k,A]=h,
R=c%2,D=0;return R==0&&(A||_)&&(D=c==0&&!b||c==2&&!k?Ve(Bi.size/3):0),R==1&&(b||k)&&(D=c==1&&!_||c==3&&!A?Ve(Vi.size/2):0),D}let lr=s.padding=(e.padding||[ws,ws,
ws,ws]).map(i=>oe(ce(i,ws))),un=s._padding=lr.map((i,c)=>i(s,c,$n,0)),et,Ue=null,Ye=null,Vs=l==1?w[0].idxs:null,Wt=null,bs=!1;function or(i,c){if(t=i??[],s.data=
s._data=t,l==2){et=0;for(let h=1;h<w.length;h++)et+=t[h][0].length}else{t.length==0&&(s.data=s._data=t=[[]]),Wt=t[0],et=Wt.length;let h=t;if(ne==2){h=t.slice();
let d=h[0]=Array(et);for(let b=0;b<et;b++)d[b]=b}s._data=t=h}if(Jn(!0),je("setData"),ne==2&&(qn=!0),c!==!1){let h=L;h.auto(s,bs)?Al():hn(N,h.min,h.max),En=En||z.
left>=0,Tt=!0,Zn()}}s.setData=or;function Al(){bs=!0;let i,c;l==1&&(et>0?(Ue=Vs[0]=0,Ye=Vs[1]=et-1,i=t[0][Ue],c=t[0][Ye],ne==2?(i=Ue,c=Ye):i==c&&(ne==3?[i,c]=hl(
i,i,L.log,!1):ne==4?[i,c]=$o(i,i,L.log,!1):L.time?c=i+Ve(86400/C):[i,c]=cl(i,c,To,!0))):(Ue=Vs[0]=i=null,Ye=Vs[1]=c=null)),hn(N,i,c)}let qs,jn,Cl,Rl,Ol,Ll,Nl,Dl,
Pl,pt;function rr(i,c,h,d,b,_){i??=mi,h??=Co,d??="butt",b??=mi,_??="round",i!=qs&&(g.strokeStyle=qs=i),b!=jn&&(g.fillStyle=jn=b),c!=Cl&&(g.lineWidth=Cl=c),_!=Ol&&
(g.lineJoin=Ol=_),d!=Ll&&(g.lineCap=Ll=d),h!=Rl&&g.setLineDash(Rl=h)}function ir(i,c,h,d){c!=jn&&(g.fillStyle=jn=c),i!=Nl&&(g.font=Nl=i),h!=Dl&&(g.textAlign=Dl=
h),d!=Pl&&(g.textBaseline=Pl=d)}function Il(i,c,h,d,b=0){if(d.length>0&&i.auto(s,bs)&&(c==null||c.min==null)){let _=ce(Ue,0),k=ce(Ye,d.length-1),A=h.min==null?Qu(
d,_,k,b,i.distr==3):[h.min,h.max];i.min=Vt(i.min,h.min=A[0]),i.max=ut(i.max,h.max=A[1])}}let ar={min:null,max:null};function Dc(){for(let d in S){let b=S[d];q[d]==
null&&(b.min==null||q[N]!=null&&b.auto(s,bs))&&(q[d]=ar)}for(let d in S){let b=S[d];q[d]==null&&b.from!=null&&q[b.from]!=null&&(q[d]=ar)}q[N]!=null&&Jn(!0);let i={};
for(let d in q){let b=q[d];if(b!=null){let _=i[d]=us(S[d],af);if(b.min!=null)Be(_,b);else if(d!=N||l==2)if(et==0&&_.from==null){let k=_.range(s,null,null,d);_.min=
k[0],_.max=k[1]}else _.min=xe,_.max=-xe}}if(et>0){w.forEach((d,b)=>{if(l==1){let _=d.scale,k=q[_];if(k==null)return;let A=i[_];if(b==0){let R=A.range(s,A.min,A.
max,_);A.min=R[0],A.max=R[1],Ue=Ht(A.min,t[0]),Ye=Ht(A.max,t[0]),Ye-Ue>1&&(t[0][Ue]<A.min&&Ue++,t[0][Ye]>A.max&&Ye--),d.min=Wt[Ue],d.max=Wt[Ye]}else d.show&&d.auto&&
Il(A,k,d,t[b],d.sorted);d.idxs[0]=Ue,d.idxs[1]=Ye}else if(b>0&&d.show&&d.auto){let[_,k]=d.facets,A=_.scale,R=k.scale,[D,P]=t[b],W=i[A],J=i[R];W!=null&&Il(W,q[A],
_,D,_.sorted),J!=null&&Il(J,q[R],k,P,k.sorted),d.min=k.min,d.max=k.max}});for(let d in i){let b=i[d],_=q[d];if(b.from==null&&(_==null||_.min==null)){let k=b.range(
s,b.min==xe?null:b.min,b.max==-xe?null:b.max,d);b.min=k[0],b.max=k[1]}}}for(let d in i){let b=i[d];if(b.from!=null){let _=i[b.from];if(_.min==null)b.min=b.max=null;else{
let k=b.range(s,_.min,_.max,d);b.min=k[0],b.max=k[1]}}}let c={},h=!1;for(let d in i){let b=i[d],_=S[d];if(_.min!=b.min||_.max!=b.max){_.min=b.min,_.max=b.max;let k=_.
distr;_._min=k==3?on(_.min):k==4?co(_.min,_.asinh):k==100?_.fwd(_.min):_.min,_._max=k==3?on(_.max):k==4?co(_.max,_.asinh):k==100?_.fwd(_.max):_.max,c[d]=h=!0}}if(h){
w.forEach((d,b)=>{l==2?b>0&&c.y&&(d._paths=null):c[d.scale]&&(d._paths=null)});for(let d in c)qn=!0,je("setScale",d);ot&&z.left>=0&&(En=Tt=!0)}for(let d in q)q[d]=
null}function Pc(i){let c=bo(Ue-1,0,et-1),h=bo(Ye+1,0,et-1);for(;i[c]==null&&c>0;)c--;for(;i[h]==null&&h<et-1;)h++;return[c,h]}function Ic(){if(et>0){let i=w.some(
c=>c._focus)&&pt!=Yt.alpha;i&&(g.globalAlpha=pt=Yt.alpha),w.forEach((c,h)=>{if(h>0&&c.show&&(cr(h,!1),cr(h,!0),c._paths==null)){let d=pt;pt!=c.alpha&&(g.globalAlpha=
pt=c.alpha);let b=l==2?[0,t[h][0].length-1]:Pc(t[h]);c._paths=c.paths(s,h,b[0],b[1]),pt!=d&&(g.globalAlpha=pt=d)}}),w.forEach((c,h)=>{if(h>0&&c.show){let d=pt;pt!=
c.alpha&&(g.globalAlpha=pt=c.alpha),c._paths!=null&&ur(h,!1);{let b=c._paths!=null?c._paths.gaps:null,_=c.points.show(s,h,Ue,Ye,b),k=c.points.filter(s,h,_,b);(_||
k)&&(c.points._paths=c.points.paths(s,h,Ue,Ye,k),ur(h,!0))}pt!=d&&(g.globalAlpha=pt=d),je("drawSeries",h)}}),i&&(g.globalAlpha=pt=1)}}function cr(i,c){let h=c?w[i].
points:w[i];h._stroke=h.stroke(s,i),h._fill=h.fill(s,i)}function ur(i,c){let h=c?w[i].points:w[i],{stroke:d,fill:b,clip:_,flags:k,_stroke:A=h._stroke,_fill:R=h.
_fill,_width:D=h.width}=h._paths;D=_e(D*he,3);let P=null,W=D%2/2;c&&R==null&&(R=D>0?"#fff":A);let J=h.pxAlign==1&&W>0;if(J&&g.translate(W,W),!c){let ue=wt-D/2,ae=$t-
D/2,le=dt+D,Y=It+D;P=new Path2D,P.rect(ue,ae,le,Y)}c?Wl(A,D,h.dash,h.cap,R,d,b,k,_):Wc(i,A,D,h.dash,h.cap,R,d,b,k,P,_),J&&g.translate(-W,-W)}function Wc(i,c,h,d,b,_,k,A,R,D,P){
let W=!1;R!=0&&K.forEach((J,ue)=>{if(J.series[0]==i){let ae=w[J.series[1]],le=t[J.series[1]],Y=(ae._paths||Ls).band;wn(Y)&&(Y=J.dir==1?Y[0]:Y[1]);let H,Ee=null;
ae.show&&Y&&ef(le,Ue,Ye)?(Ee=J.fill(s,ue)||_,H=ae._paths.clip):Y=null,Wl(c,h,d,b,Ee,k,A,R,D,P,H,Y),W=!0}}),W||Wl(c,h,d,b,_,k,A,R,D,P)}let fr=fs|yo;function Wl(i,c,h,d,b,_,k,A,R,D,P,W){
rr(i,c,h,d,b),(R||D||W)&&(g.save(),R&&g.clip(R),D&&g.clip(D)),W?(A&fr)==fr?(g.clip(W),P&&g.clip(P),Ys(b,k),Us(i,_,c)):A&yo?(Ys(b,k),g.clip(W),Us(i,_,c)):A&fs&&(g.
save(),g.clip(W),P&&g.clip(P),Ys(b,k),g.restore(),Us(i,_,c)):(Ys(b,k),Us(i,_,c)),(R||D||W)&&g.restore()}function Us(i,c,h){h>0&&(c instanceof Map?c.forEach((d,b)=>{
g.strokeStyle=qs=b,g.stroke(d)}):c!=null&&i&&g.stroke(c))}function Ys(i,c){c instanceof Map?c.forEach((h,d)=>{g.fillStyle=jn=d,g.fill(h)}):c!=null&&i&&g.fill(c)}
function Fc(i,c,h,d){let b=T[i],_;if(d<=0)_=[0,0];else{let k=b._space=b.space(s,i,c,h,d),A=b._incrs=b.incrs(s,i,c,h,d,k);_=vh(c,h,A,d,k)}return b._found=_}function Fl(i,c,h,d,b,_,k,A,R,D){
let P=k%2/2;M==1&&g.translate(P,P),rr(A,k,R,D,A),g.beginPath();let W,J,ue,ae,le=b+(d==0||d==3?-_:_);h==0?(J=b,ae=le):(W=b,ue=le);for(let Y=0;Y<i.length;Y++)c[Y]!=
null&&(h==0?W=ue=i[Y]:J=ae=i[Y],g.moveTo(W,J),g.lineTo(ue,ae));g.stroke(),M==1&&g.translate(-P,-P)}function Bc(i){let c=!0;return T.forEach((h,d)=>{if(!h.show)return;
let b=S[h.scale];if(b.min==null){h._show&&(c=!1,h._show=!1,Jn(!1));return}else h._show||(c=!1,h._show=!0,Jn(!1));let _=h.side,k=_%2,{min:A,max:R}=b,[D,P]=Fc(d,A,
R,k==0?te:I);if(P==0)return;let W=b.distr==2,J=h._splits=h.splits(s,d,A,R,D,P,W),ue=b.distr==2?J.map(H=>Wt[H]):J,ae=b.distr==2?Wt[J[1]]-Wt[J[0]]:D,le=h._values=
h.values(s,h.filter(s,ue,d,P,ae),d,P,ae);h._rotate=_==2?h.rotate(s,le,d,P):0;let Y=h._size;h._size=Dt(h.size(s,le,d,i)),Y!=null&&h._size!=Y&&(c=!1)}),c}function zc(i){
let c=!0;return lr.forEach((h,d)=>{let b=h(s,d,$n,i);b!=un[d]&&(c=!1),un[d]=b}),c}function Hc(){for(let i=0;i<T.length;i++){let c=T[i];if(!c.show||!c._show)continue;
let h=c.side,d=h%2,b,_,k=c.stroke(s,i),A=h==0||h==3?-1:1,[R,D]=c._found;if(c.label!=null){let at=c.labelGap*A,_t=Ve((c._lpos+at)*he);ir(c.labelFont[0],k,"center",
h==2?"top":pi),g.save(),d==1?(b=_=0,g.translate(_t,Ve($t+It/2)),g.rotate((h==3?-il:il)/2)):(b=Ve(wt+dt/2),_=_t);let Cn=sa(c.label)?c.label(s,i,R,D):c.label;g.fillText(
Cn,b,_),g.restore()}if(D==0)continue;let P=S[c.scale],W=d==0?dt:It,J=d==0?wt:$t,ue=c._splits,ae=P.distr==2?ue.map(at=>Wt[at]):ue,le=P.distr==2?Wt[ue[1]]-Wt[ue[0]]:
R,Y=c.ticks,H=c.border,Ee=Y.show?Y.size:0,Le=Ve(Ee*he),Je=Ve((c.alignTo==2?c._size-Ee-c.gap:c.gap)*he),we=c._rotate*-il/180,Ne=$(c._pos*he),bt=(Le+Je)*A,it=Ne+bt;
_=d==0?it:0,b=d==1?it:0;let Ct=c.font[0],Ft=c.align==1?os:c.align==2?ro:we>0?os:we<0?ro:d==0?"center":h==3?ro:os,jt=we||d==1?"middle":h==2?"top":pi;ir(Ct,k,Ft,jt);
let xt=c.font[1]*c.lineGap,Rt=ue.map(at=>$(o(at,P,W,J))),Bt=c._values;for(let at=0;at<Bt.length;at++){let _t=Bt[at];if(_t!=null){d==0?b=Rt[at]:_=Rt[at],_t=""+_t;
let Cn=_t.indexOf(`
`)==-1?[_t]:_t.split(/\n/gm);for(let ct=0;ct<Cn.length;ct++){let Cr=Cn[ct];we?(g.save(),g.translate(b,_+ct*xt),g.rotate(we),g.fillText(Cr,0,0),g.restore()):g.fillText(
Cr,b,_+ct*xt)}}}Y.show&&Fl(Rt,Y.filter(s,ae,i,D,le),d,h,Ne,Le,_e(Y.width*he,3),Y.stroke(s,i),Y.dash,Y.cap);let Jt=c.grid;Jt.show&&Fl(Rt,Jt.filter(s,ae,i,D,le),d,
d==0?2:1,d==0?$t:wt,d==0?It:dt,_e(Jt.width*he,3),Jt.stroke(s,i),Jt.dash,Jt.cap),H.show&&Fl([Ne],[1],d==0?1:0,d==0?1:2,d==1?$t:wt,d==1?It:dt,_e(H.width*he,3),H.stroke(
s,i),H.dash,H.cap)}je("drawAxes")}function Jn(i){w.forEach((c,h)=>{h>0&&(c._paths=null,i&&(l==1?(c.min=null,c.max=null):c.facets.forEach(d=>{d.min=null,d.max=null})))})}
let Gs=!1,Bl=!1,xs=[];function Vc(){Bl=!1;for(let i=0;i<xs.length;i++)je(...xs[i]);xs.length=0}function Zn(){Gs||(mf(hr),Gs=!0)}function qc(i,c=!1){Gs=!0,Bl=c,i(
s),hr(),c&&xs.length>0&&queueMicrotask(Vc)}s.batch=qc;function hr(){if($l&&(Dc(),$l=!1),qn&&(Tc(),qn=!1),zs){if(Me(y,os,ye),Me(y,"top",He),Me(y,As,te),Me(y,Cs,I),
Me(v,os,ye),Me(v,"top",He),Me(v,As,te),Me(v,Cs,I),Me(x,As,nn),Me(x,Cs,vn),p.width=Ve(nn*he),p.height=Ve(vn*he),T.forEach(({_el:i,_show:c,_size:h,_pos:d,side:b})=>{
if(i!=null)if(c){let _=b===3||b===0?h:0,k=b%2==1;Me(i,k?"left":"top",d-_),Me(i,k?"width":"height",h),Me(i,k?"top":"left",k?He:ye),Me(i,k?"height":"width",k?I:te),
go(i,Nn)}else yt(i,Nn)}),qs=jn=Cl=Ol=Ll=Nl=Dl=Pl=Rl=null,pt=1,vs(!0),ye!=Vn||He!=kn||te!=Ut||I!=Sn){Jn(!1);let i=te/Ut,c=I/Sn;if(ot&&!En&&z.left>=0){z.left*=i,z.
top*=c,Qn&&en(Qn,Ve(z.left),0,te,I),Xn&&en(Xn,0,Ve(z.top),te,I);for(let h=0;h<At.length;h++){let d=At[h];d!=null&&(Gn[h]*=i,Kn[h]*=c,en(d,Dt(Gn[h]),Dt(Kn[h]),te,
I))}}if(Se.show&&!Hs&&Se.left>=0&&Se.width>0){Se.left*=i,Se.width*=i,Se.top*=c,Se.height*=c;for(let h in Yl)Me(ns,h,Se[h])}Vn=ye,kn=He,Ut=te,Sn=I}je("setSize"),
zs=!1}nn>0&&vn>0&&(g.clearRect(0,0,p.width,p.height),je("drawClear"),G.forEach(i=>i()),je("draw")),Se.show&&Hs&&(Ks(Se),Hs=!1),ot&&En&&(An(null,!0,!1),En=!1),se.
show&&se.live&&Tt&&(ql(),Tt=!1),u||(u=!0,s.status=1,je("ready")),bs=!1,Gs=!1}s.redraw=(i,c)=>{qn=c||!1,i!==!1?hn(N,L.min,L.max):Zn()};function zl(i,c){let h=S[i];
if(h.from==null){if(et==0){let d=h.range(s,c.min,c.max,i);c.min=d[0],c.max=d[1]}if(c.min>c.max){let d=c.min;c.min=c.max,c.max=d}if(et>1&&c.min!=null&&c.max!=null&&
c.max-c.min<1e-16)return;i==N&&h.distr==2&&et>0&&(c.min=Ht(c.min,t[0]),c.max=Ht(c.max,t[0]),c.min==c.max&&c.max++),q[i]=c,$l=!0,Zn()}}s.setScale=zl;let Hl,Vl,Qn,
Xn,dr,pr,es,ts,mr,gr,ke,Ae,fn=!1,tt=z.drag,Ge=tt.x,Ke=tt.y;ot&&(z.x&&(Hl=Nt(Wu,v)),z.y&&(Vl=Nt(Fu,v)),L.ori==0?(Qn=Hl,Xn=Vl):(Qn=Vl,Xn=Hl),ke=z.left,Ae=z.top);let Se=s.
select=Be({show:!0,over:!0,left:0,width:0,top:0,height:0},e.select),ns=Se.show?Nt(Iu,Se.over?v:y):null;function Ks(i,c){if(Se.show){for(let h in i)Se[h]=i[h],h in
Yl&&Me(ns,h,i[h]);c!==!1&&je("setSelect")}}s.setSelect=Ks;function Uc(i){if(w[i].show)ze&&go(Re[i],Nn);else if(ze&&yt(Re[i],Nn),ot){let h=Yn?At[0]:At[i];h!=null&&
en(h,-10,-10,te,I)}}function hn(i,c,h){zl(i,{min:c,max:h})}function Gt(i,c,h,d){c.focus!=null&&Jc(i),c.show!=null&&w.forEach((b,_)=>{_>0&&(i==_||i==null)&&(b.show=
c.show,Uc(_),l==2?(hn(b.facets[0].scale,null,null),hn(b.facets[1].scale,null,null)):hn(b.scale,null,null),Zn())}),h!==!1&&je("setSeries",i,c),d&&ks("setSeries",
s,i,c)}s.setSeries=Gt;function Yc(i,c){Be(K[i],c)}function Gc(i,c){i.fill=oe(i.fill||null),i.dir=ce(i.dir,-1),c=c??K.length,K.splice(c,0,i)}function Kc(i){i==null?
K.length=0:K.splice(i,1)}s.addBand=Gc,s.setBand=Yc,s.delBand=Kc;function jc(i,c){w[i].alpha=c,ot&&At[i]!=null&&(At[i].style.opacity=c),ze&&Re[i]&&(Re[i].style.opacity=
c)}let sn,dn,Tn,ss={focus:!0};function Jc(i){if(i!=Tn){let c=i==null,h=Yt.alpha!=1;w.forEach((d,b)=>{if(l==1||b>0){let _=c||b==0||b==i;d._focus=c?null:_,h&&jc(b,
_?1:Yt.alpha)}}),Tn=i,h&&Zn()}}ze&&Un&&rt(bi,de,i=>{z._lock||(Mn(i),Tn!=null&&Gt(null,ss,!0,We.setSeries))});function Kt(i,c,h){let d=S[c];h&&(i=i/he-(d.ori==1?
He:ye));let b=te;d.ori==1&&(b=I,i=b-i),d.dir==-1&&(i=b-i);let _=d._min,k=d._max,A=i/b,R=_+(k-_)*A,D=d.distr;return D==3?as(10,R):D==4?nf(R,d.asinh):D==100?d.bwd(
R):R}function Zc(i,c){let h=Kt(i,N,c);return Ht(h,t[0],Ue,Ye)}s.valToIdx=i=>Ht(i,t[0]),s.posToIdx=Zc,s.posToVal=Kt,s.valToPos=(i,c,h)=>S[c].ori==0?r(i,S[c],h?dt:
te,h?wt:0):a(i,S[c],h?It:I,h?$t:0),s.setCursor=(i,c,h)=>{ke=i.left,Ae=i.top,An(null,c,h)};function wr(i,c){Me(ns,os,Se.left=i),Me(ns,As,Se.width=c)}function br(i,c){
Me(ns,"top",Se.top=i),Me(ns,Cs,Se.height=c)}let _s=L.ori==0?wr:br,ys=L.ori==1?wr:br;function Qc(){if(ze&&se.live)for(let i=l==2?1:0;i<w.length;i++){if(i==0&&Mt)
continue;let c=se.values[i],h=0;for(let d in c)qt[i][h++].firstChild.nodeValue=c[d]}}function ql(i,c){if(i!=null&&(i.idxs?i.idxs.forEach((h,d)=>{ge[d]=h}):rf(i.
idx)||ge.fill(i.idx),se.idx=ge[0]),ze&&se.live){for(let h=0;h<w.length;h++)(h>0||l==1&&!Mt)&&Xc(h,ge[h]);Qc()}Tt=!1,c!==!1&&je("setLegend")}s.setLegend=ql;function Xc(i,c){
let h=w[i],d=i==0&&ne==2?Wt:t[i],b;Mt?b=h.values(s,i,c)??cn:(b=h.value(s,c==null?null:d[c],i,c),b=b==null?cn:{_:b}),se.values[i]=b}function An(i,c,h){mr=ke,gr=Ae,
[ke,Ae]=z.move(s,ke,Ae),z.left=ke,z.top=Ae,ot&&(Qn&&en(Qn,Ve(ke),0,te,I),Xn&&en(Xn,0,Ve(Ae),te,I));let d,b=Ue>Ye;sn=xe,dn=null;let _=L.ori==0?te:I,k=L.ori==1?te:
I;if(ke<0||et==0||b){d=z.idx=null;for(let A=0;A<w.length;A++){let R=At[A];R!=null&&en(R,-10,-10,te,I)}Un&&Gt(null,ss,!0,i==null&&We.setSeries),se.live&&(ge.fill(
d),Tt=!0)}else{let A,R,D;l==1&&(A=L.ori==0?ke:Ae,R=Kt(A,N),d=z.idx=Ht(R,t[0],Ue,Ye),D=B(t[0][d],L,_,0));let P=-10,W=-10,J=0,ue=0,ae=!0,le="",Y="";for(let H=l==2?
1:0;H<w.length;H++){let Ee=w[H],Le=ge[H],Je=Le==null?null:l==1?t[H][Le]:t[H][1][Le],we=z.dataIdx(s,H,d,R),Ne=we==null?null:l==1?t[H][we]:t[H][1][we];if(Tt=Tt||Ne!=
Je||we!=Le,ge[H]=we,H>0&&Ee.show){let bt=we==null?-10:we==d?D:B(l==1?t[0][we]:t[H][0][we],L,_,0),it=Ne==null?-10:j(Ne,l==1?S[Ee.scale]:S[Ee.facets[1].scale],k,0);
if(Un&&Ne!=null){let Ct=L.ori==1?ke:Ae,Ft=qe(Yt.dist(s,H,we,it,Ct));if(Ft<sn){let jt=Yt.bias;if(jt!=0){let xt=Kt(Ct,Ee.scale),Rt=Ne>=0?1:-1,Bt=xt>=0?1:-1;Bt==Rt&&
(Bt==1?jt==1?Ne>=xt:Ne<=xt:jt==1?Ne<=xt:Ne>=xt)&&(sn=Ft,dn=H)}else sn=Ft,dn=H}}if(Tt||Yn){let Ct,Ft;L.ori==0?(Ct=bt,Ft=it):(Ct=it,Ft=bt);let jt,xt,Rt,Bt,Jt,at,_t=!0,
Cn=st.bbox;if(Cn!=null){_t=!1;let ct=Cn(s,H);Rt=ct.left,Bt=ct.top,jt=ct.width,xt=ct.height}else Rt=Ct,Bt=Ft,jt=xt=st.size(s,H);if(at=st.fill(s,H),Jt=st.stroke(s,
H),Yn)H==dn&&sn<=Yt.prox&&(P=Rt,W=Bt,J=jt,ue=xt,ae=_t,le=at,Y=Jt);else{let ct=At[H];ct!=null&&(Gn[H]=Rt,Kn[H]=Bt,Ei(ct,jt,xt,_t),ki(ct,at,Jt),en(ct,Dt(Rt),Dt(Bt),
te,I))}}}}if(Yn){let H=Yt.prox,Ee=Tn==null?sn<=H:sn>H||dn!=Tn;if(Tt||Ee){let Le=At[0];Le!=null&&(Gn[0]=P,Kn[0]=W,Ei(Le,J,ue,ae),ki(Le,le,Y),en(Le,Dt(P),Dt(W),te,
I))}}}if(Se.show&&fn)if(i!=null){let[A,R]=We.scales,[D,P]=We.match,[W,J]=i.cursor.sync.scales,ue=i.cursor.drag;if(Ge=ue._x,Ke=ue._y,Ge||Ke){let{left:ae,top:le,width:Y,
height:H}=i.select,Ee=i.scales[W].ori,Le=i.posToVal,Je,we,Ne,bt,it,Ct=A!=null&&D(A,W),Ft=R!=null&&P(R,J);Ct&&Ge?(Ee==0?(Je=ae,we=Y):(Je=le,we=H),Ne=S[A],bt=B(Le(
Je,W),Ne,_,0),it=B(Le(Je+we,W),Ne,_,0),_s(Vt(bt,it),qe(it-bt))):_s(0,_),Ft&&Ke?(Ee==1?(Je=ae,we=Y):(Je=le,we=H),Ne=S[R],bt=j(Le(Je,J),Ne,k,0),it=j(Le(Je+we,J),Ne,
k,0),ys(Vt(bt,it),qe(it-bt))):ys(0,k)}else Gl()}else{let A=qe(mr-dr),R=qe(gr-pr);if(L.ori==1){let J=A;A=R,R=J}Ge=tt.x&&A>=tt.dist,Ke=tt.y&&R>=tt.dist;let D=tt.uni;
D!=null?Ge&&Ke&&(Ge=A>=D,Ke=R>=D,!Ge&&!Ke&&(R>A?Ke=!0:Ge=!0)):tt.x&&tt.y&&(Ge||Ke)&&(Ge=Ke=!0);let P,W;Ge&&(L.ori==0?(P=es,W=ke):(P=ts,W=Ae),_s(Vt(P,W),qe(W-P)),
Ke||ys(0,k)),Ke&&(L.ori==1?(P=es,W=ke):(P=ts,W=Ae),ys(Vt(P,W),qe(W-P)),Ge||_s(0,_)),!Ge&&!Ke&&(_s(0,0),ys(0,0))}if(tt._x=Ge,tt._y=Ke,i==null){if(h){if(Ar!=null){
let[A,R]=We.scales;We.values[0]=A!=null?Kt(L.ori==0?ke:Ae,A):null,We.values[1]=R!=null?Kt(L.ori==1?ke:Ae,R):null}ks(io,s,ke,Ae,te,I,d)}if(Un){let A=h&&We.setSeries,
R=Yt.prox;Tn==null?sn<=R&&Gt(dn,ss,!0,A):sn>R?Gt(null,ss,!0,A):dn!=Tn&&Gt(dn,ss,!0,A)}}Tt&&(se.idx=d,ql()),c!==!1&&je("setCursor")}let pn=null;Object.defineProperty(
s,"rect",{get(){return pn==null&&vs(!1),pn}});function vs(i=!1){i?pn=null:(pn=v.getBoundingClientRect(),je("syncRect",pn))}function xr(i,c,h,d,b,_,k){z._lock||fn&&
i!=null&&i.movementX==0&&i.movementY==0||(Ul(i,c,h,d,b,_,k,!1,i!=null),i!=null?An(null,!0,!0):An(c,!0,!1))}function Ul(i,c,h,d,b,_,k,A,R){if(pn==null&&vs(!1),Mn(
i),i!=null)h=i.clientX-pn.left,d=i.clientY-pn.top;else{if(h<0||d<0){ke=-10,Ae=-10;return}let[D,P]=We.scales,W=c.cursor.sync,[J,ue]=W.values,[ae,le]=W.scales,[Y,
H]=We.match,Ee=c.axes[0].side%2==1,Le=L.ori==0?te:I,Je=L.ori==1?te:I,we=Ee?_:b,Ne=Ee?b:_,bt=Ee?d:h,it=Ee?h:d;if(ae!=null?h=Y(D,ae)?o(J,S[D],Le,0):-10:h=Le*(bt/we),
le!=null?d=H(P,le)?o(ue,S[P],Je,0):-10:d=Je*(it/Ne),L.ori==1){let Ct=h;h=d,d=Ct}}R&&(c==null||c.cursor.event.type==io)&&((h<=1||h>=te-1)&&(h=On(h,te)),(d<=1||d>=
I-1)&&(d=On(d,I))),A?(dr=h,pr=d,[es,ts]=z.move(s,h,d)):(ke=h,Ae=d)}let Yl={width:0,height:0,left:0,top:0};function Gl(){Ks(Yl,!1)}let _r,yr,vr,kr;function Sr(i,c,h,d,b,_,k){
fn=!0,Ge=Ke=tt._x=tt._y=!1,Ul(i,c,h,d,b,_,k,!0,!1),i!=null&&(rt(ao,po,Er,!1),ks(gi,s,es,ts,te,I,null));let{left:A,top:R,width:D,height:P}=Se;_r=A,yr=R,vr=D,kr=P}
function Er(i,c,h,d,b,_,k){fn=tt._x=tt._y=!1,Ul(i,c,h,d,b,_,k,!1,!0);let{left:A,top:R,width:D,height:P}=Se,W=D>0||P>0,J=_r!=A||yr!=R||vr!=D||kr!=P;if(W&&J&&Ks(Se),
tt.setScale&&W&&J){let ue=A,ae=D,le=R,Y=P;if(L.ori==1&&(ue=R,ae=P,le=A,Y=D),Ge&&hn(N,Kt(ue,N),Kt(ue+ae,N)),Ke)for(let H in S){let Ee=S[H];H!=N&&Ee.from==null&&Ee.
min!=xe&&hn(H,Kt(le+Y,H),Kt(le,H))}Gl()}else z.lock&&(z._lock=!z._lock,An(c,!0,i!=null));i!=null&&(Hn(ao,po),ks(ao,s,ke,Ae,te,I,null))}function eu(i,c,h,d,b,_,k){
if(z._lock)return;Mn(i);let A=fn;if(fn){let R=!0,D=!0,P=10,W,J;L.ori==0?(W=Ge,J=Ke):(W=Ke,J=Ge),W&&J&&(R=ke<=P||ke>=te-P,D=Ae<=P||Ae>=I-P),W&&R&&(ke=ke<es?0:te),
J&&D&&(Ae=Ae<ts?0:I),An(null,!0,!0),fn=!1}ke=-10,Ae=-10,ge.fill(null),An(null,!0,!0),A&&(fn=A)}function Mr(i,c,h,d,b,_,k){z._lock||(Mn(i),Al(),Gl(),i!=null&&ks(
xi,s,ke,Ae,te,I,null))}function $r(){T.forEach(kh),Tl(s.width,s.height,!0)}Dn(al,is,$r);let ls={};ls.mousedown=Sr,ls.mousemove=xr,ls.mouseup=Er,ls.dblclick=Mr,ls.
setSeries=(i,c,h,d)=>{let b=We.match[2];h=b(s,c,h),h!=-1&&Gt(h,d,!0,!1)},ot&&(rt(gi,v,Sr),rt(io,v,xr),rt(wi,v,i=>{Mn(i),vs(!1)}),rt(bi,v,eu),rt(xi,v,Mr),vo.add(
s),s.syncRect=vs);let js=s.hooks=e.hooks||{};function je(i,c,h){Bl?xs.push([i,c,h]):i in js&&js[i].forEach(d=>{d.call(null,s,c,h)})}(e.plugins||[]).forEach(i=>{
for(let c in i.hooks)js[c]=(js[c]||[]).concat(i.hooks[c])});let Tr=(i,c,h)=>h,We=Be({key:null,setSeries:!1,filters:{pub:Ci,sub:Ci},scales:[N,w[1]?w[1].scale:null],
match:[Ri,Ri,Tr],values:[null,null]},z.sync);We.match.length==2&&We.match.push(Tr),z.sync=We;let Ar=We.key,Kl=$a(Ar);function ks(i,c,h,d,b,_,k){We.filters.pub(i,
c,h,d,b,_,k)&&Kl.pub(i,c,h,d,b,_,k)}Kl.sub(s);function tu(i,c,h,d,b,_,k){We.filters.sub(i,c,h,d,b,_,k)&&ls[i](null,c,h,d,b,_,k)}s.pub=tu;function nu(){Kl.unsub(
s),vo.delete(s),yn.clear(),wo(al,is,$r),f.remove(),de?.remove(),je("destroy")}s.destroy=nu;function jl(){je("init",e,t),or(t||e.data,!1),q[N]?zl(N,q[N]):Al(),Hs=
Se.show&&(Se.width>0||Se.height>0),En=Tt=!0,Tl(e.width,e.height)}return w.forEach(sr),T.forEach(Nc),n?n instanceof HTMLElement?(n.appendChild(f),jl()):n(s,jl):jl(),
s}nt.assign=Be;nt.fmtNum=Ao;nt.rangeNum=cl;nt.rangeLog=hl;nt.rangeAsinh=$o;nt.orient=In;nt.pxRatio=he;nt.join=pf;nt.fmtDate=Ro,nt.tzDate=Ef;nt.sync=$a;{nt.addGap=
ih,nt.clipGaps=ml;let e=nt.paths={points:La};e.linear=Da,e.stepped=uh,e.bars=fh,e.spline=dh}var Pe=22,St=24,xn=null;function Wo(){xn=null}function ve(e){return xn||(xn=new Map,xn.style=getComputedStyle(document.documentElement)),xn.has(e)||xn.set(e,xn.
style.getPropertyValue(`--${e}`).trim()||"#888"),xn.get(e)}function Sh(e,t){let n=e/Math.max(2,t/110),s=10**Math.floor(Math.log10(n));for(let l of[1,2,5,10])if(l*
s>=n)return l*s;return 10*s}function Eh(e,t){let[n,s]=[["s",1e9],["ms",1e6],["\xB5s",1e3],["ns",1]].find(([,l])=>Math.abs(e)>=l)??["ns",1];return e===0||e>=12e10?
E(e):`${(e/s).toFixed(Math.max(0,Math.ceil(Math.log10(s/t)-1e-9)))} ${n}`}function Fa(e,{from:t,to:n,left:s,width:l,height:r}){let a=Sh(n-t,l);e.fillStyle=ve("q\
uiet"),e.strokeStyle=ve("line"),e.font="11px system-ui, sans-serif",e.textBaseline="middle",e.beginPath();for(let o=Math.ceil(t/a)*a;o<=n;o+=a){let u=Math.round(
s+(o-t)/(n-t)*l)+.5;e.moveTo(u,St-5),e.lineTo(u,r),u<s+l-40&&e.fillText(Eh(Math.round(o),a),u+3,St/2)}e.stroke()}function Mh(e,t,{from:n,to:s,left:l,width:r},a){
let o=r/(s-n);for(let u=0;u<t.bins.length;u+=4){let f=t.from+t.bins[u]*t.binNs;if(f>s)break;if(f+t.binNs<n)continue;let p=Math.round(l+Math.max(0,f-n)*o),g=Math.
max(1,Math.round(l+Math.min(s-n,f+t.binNs-n)*o)-p),x=Math.max(3,t.bins[u+2]/1e3*(Pe-6));e.fillStyle=ve(t.ops[t.bins[u+3]].kind),e.fillRect(p,a+Pe-3-x,g,x)}}function $h(e,t,{
from:n,to:s,left:l,width:r,chosen:a},o){let u=r/(s-n),f=[-1,-1];e.font="11px system-ui, sans-serif",e.textBaseline="middle";for(let p of t.slices){if(p.start>s)
break;let g=p.duration===null?s:p.start+p.duration;if(g<n)continue;let x=l+Math.max(0,(p.start-n)*u),y=l+Math.min(r,(g-n)*u),v=p.depth>0?1:0,M=a===p.seq;if(y-x<
1&&x<f[v]&&!M)continue;let $=Math.max(1,y-x);f[v]=x+$;let C=v?o+3+Math.min(3,p.depth)*4:o+3,w=v?Math.max(3,Pe-6-Math.min(3,p.depth)*4):Pe-6;if(e.globalAlpha=p.duration===
null?.5:1,e.fillStyle=ve(p.op.kind),e.fillRect(x,C,$,w),e.globalAlpha=1,v&&(e.fillStyle=ve("card"),e.fillRect(x,C-1,$,1)),p.failed&&(e.fillStyle=ve("critical"),
e.fillRect(x,o+1,Math.max(2,$),2)),M&&(e.strokeStyle=ve("ink"),e.lineWidth=2,e.strokeRect(x,o+2,$,Pe-4),e.lineWidth=1),$>34&&!v){e.fillStyle=ve("card");let T=Math.
floor(($-6)/6),S=p.op.op;e.fillText(S.length<=T?S:`${S.slice(0,Math.max(1,T-1))}\u2026`,x+3,o+Pe/2)}}}function Ba(e,t,n,s){for(let{line:l,y:r}of t){if(l.track&&
l.track.lane===s.track&&(e.fillStyle=ve("chosen"),e.fillRect(0,r,s.left+s.width,Pe)),l.chains){let o=s.width/(s.to-s.from);for(let u of l.chains){let f=Math.max(
s.left,s.left+(u.from-s.from)*o),p=Math.min(s.left+s.width,s.left+(u.to-s.from)*o);p<s.left||f>s.left+s.width||(e.fillStyle=ve("chain"),e.globalAlpha=u.id===s.chain?
.9:.5,e.fillRect(f,r+4,Math.max(3,p-f),Pe-8),e.globalAlpha=1)}continue}let a=l.track?n.get(l.track.lane):null;a&&(Mh(e,a,s,r),$h(e,a,s,r))}}var za=["launch","memcpy","collective","alloc","sync","fabric","graph","p2p","memset","event","module","stream"],xl=e=>ve(za[e%za.length]),Ha=(e,t,n)=>({space:n,
stroke:()=>ve("quiet"),grid:{stroke:()=>ve("line"),width:1},ticks:{stroke:()=>ve("line")},values:e,size:t});function Th(e,t,n,s){let l=null,r=new ResizeObserver(
()=>{let a=e.clientWidth;a&&(l||(l=new nt({...t,width:a,height:s},n,e),l.root.querySelector("canvas").setAttribute("aria-hidden","true")),l.width!==a&&l.setSize(
{width:a,height:s}),e.plot=l)});return r.observe(e),e.close=()=>{r.disconnect(),l?.destroy()},e}function _n({label:e,times:t,series:n,text:s,timeText:l,height:r=220,
stacked:a=!1,choose:o=null}){let u=m("div",{class:"chart",role:"img","aria-label":`${e}: ${n.map(g=>g.name).join(", ")}`}),f=n.map(g=>g.values);if(a){let g=new Array(
t.length).fill(0);f=f.map(x=>x.map((y,v)=>g[v]+=y??0))}let p=n.map((g,x)=>({label:g.name,stroke:()=>xl(x),width:1.5,points:{show:t.length<3},spanGaps:!0,fill:a?
()=>xl(x):void 0,value:(y,v,M,$)=>$===null?"\u2013":s(n[x].values[$])}));return a&&(p.reverse(),f.reverse()),Th(u,{cursor:{drag:{x:!0,y:!1,setScale:!o}},scales:{
x:{time:!1},y:{range:(g,x,y)=>[Math.min(0,x??0),(y||1)*1.05]}},axes:[Ha((g,x)=>x.map(y=>l(y)),30,90),Ha((g,x)=>x.map(y=>s(y)),74,35)],series:[{label:"Time",value:(g,x)=>x===
null?"\u2013":l(x)},...p],legend:{live:!0},hooks:o?{setSelect:[g=>{g.select.width>3&&o(g.posToVal(g.select.left,"x"),g.posToVal(g.select.left+g.select.width,"x"))}]}:
{}},[t,...f],r)}var Fo=e=>`${e.pid}|${e.stream??""}|${e.phase}`,Va=e=>e.slow_1_5x+e.slow_2x+e.slow_3x,Ah=(e,t)=>t.steps?Zt(e/t.steps):"\u2013",Ua=e=>[e.engine,e.model].filter(Boolean).
join(" "),Ch={s:e=>E(e*1e9),bytes:Oe},Rh=e=>e.interval_mean!==null||e.interval_p95!==null||e.unit==="s"&&!e.name.endsWith(".total"),Bo=(e,t)=>e==null?"\u2013":Ch[t]?.(
e)??Zt(e),Oh=[{head:"Workload",text:e=>`${e.process??"?"} ${e.pid}, ${e.phase}`,sort:e=>e.pid},{head:"Serves",text:Ua},{head:"Steps",number:!0,text:e=>O(e.steps),
sort:e=>e.steps},{head:"Slow",number:!0,text:e=>O(Va(e)),sort:Va,title:"1.5 times the 95th percentile and more"},{head:"3x",number:!0,text:e=>O(e.slow_3x),sort:e=>e.
slow_3x},{head:"Usual",number:!0,text:e=>E(e.mean_ns),sort:e=>e.mean_ns,title:"Mean of healthy steps"},{head:"p95",number:!0,text:e=>E(e.p95_ns),sort:e=>e.p95_ns,
title:"Of healthy steps"},{head:"Longest",number:!0,text:e=>E(e.max_ns),sort:e=>e.max_ns},{head:"Launches a step",number:!0,text:e=>Ah(e.launches+e.graph_launches,
e),title:"Launches of graphs count as one each"},{head:"Copied a step",number:!0,text:e=>e.steps?Oe(Math.round(e.copied_bytes/e.steps)):"\u2013"},{head:"Idle",number:!0,
text:e=>E(e.idle_ns),sort:e=>e.idle_ns,title:"Pauses that are part of no step"},{head:"Began over",number:!0,text:e=>e.relearned?O(e.relearned):"",title:"Times \
that what is usual changed for good"}];function qa(e){let[t,n]=[BigInt(e.start_wall_ns),BigInt(e.duration_ns)];return{view:"timeline",from:Ot(t-n/2n),to:Ot(t+3n*
n/2n)}}var Lh=e=>[{head:"At",number:!0,node:t=>m("a",{href:lt(qa(t))},E(Number(BigInt(t.start_wall_ns)-e.origin))),sort:t=>Number(t.start_wall_ns)},{head:"Threa\
d",text:t=>`${t.pid}/${t.tid}`},{head:"Phase",text:t=>t.phase},{head:"Class",text:t=>t.slow,sort:t=>parseFloat(t.slow)},{head:"Took",number:!0,text:t=>E(t.duration_ns),
sort:t=>t.duration_ns},{head:"p95 then",number:!0,text:t=>E(t.baseline_p95_ns)},{head:"Waited",number:!0,text:t=>E(t.wait_ns),sort:t=>t.wait_ns},{head:"Launches",
number:!0,text:t=>O(t.launches+t.graph_launches)},{head:"Cause",node:t=>t.incident?m("a",{href:lt({...qa(t),chosen:{chain:t.incident}})},t.incident):"none found"}];
async function Nh(e,t){let n=t.stream===null?"NULL":t.stream,s=Xt("timestamp",r=>String(Ce(r))),l=await Ze(`SELECT timestamp - ${e.origin} AS at, duration_ns, b\
aseline_p95_ns FROM inference_steps
    WHERE pid = ${t.pid} AND stream IS ${n} AND phase = '${t.phase.replaceAll("'","''")}' AND ${s} ORDER BY timestamp`,1e4,e.signal);return l.length?_n({label:"\
Steps over time",times:l.map(r=>r.at),text:E,timeText:E,series:[{name:"Step",values:l.map(r=>r.duration_ns)},{name:"Usual, p95",values:l.map(r=>r.baseline_p95_ns)}]}):
null}async function Dh(e,t){let n=await pe("get_inference",Fe(),t.signal);if(!n.workloads.length&&!n.engines.length)return e.append(U("Inference",fe("No step of\
 inference is known: the recording was made without --inference, or no program served a model."),be(n))),()=>{};let s=n.workloads.find(r=>Fo(r)===F.chosen.workload),
l=null;return s&&(l=await Nh(t,s),e.append(U(`${s.process??"?"} ${s.pid}, ${s.phase}`,l??fe("It made no step in this part.")))),e.append(U("Workloads, in the wh\
ole recording",n.workloads.length?X({caption:"Workloads; choose one to see its steps over time",rows:n.workloads,columns:Oh,key:Fo,chosen:F.chosen.workload??null,
choose:r=>Ie({workload:Fo(r)},!1)}):fe("No step ended.")),U("Slow steps",n.slow_steps.length?X({caption:"Slow steps, the worst first",rows:n.slow_steps,columns:Lh(
t)}):fe("No step of this part was slow.")),U("What engines said last",n.engines.length?X({caption:"Metrics of engines",rows:n.engines,columns:[{head:"Metric",text:r=>r.
name,sort:r=>r.name},{head:"Engine",text:r=>`${Ua(r)} (${r.pid})`},{head:"Value",number:!0,text:r=>Rh(r)?`${O(r.value)} times`:Bo(r.value,r.unit),title:"Of a hi\
stogram: how often it observed"},{head:"Mean",number:!0,text:r=>Bo(r.interval_mean,r.unit),title:"Since the reading before"},{head:"p95",number:!0,text:r=>Bo(r.
interval_p95,r.unit),title:"Since the reading before"},{head:"Unit",text:r=>r.unit}]}):fe("No engine was found, or none showed its metrics."))),n.cut.length&&e.
append(be(n)),()=>l?.close()}var Ya={name:"inference",title:"Inference",draw:Dh};var Ga=8,Ka=e=>`${e.frames?.find(t=>t.startsWith("[Python]"))??e.frames?.[1]??e.frames?.[0]??e.op} (${e.pid})`;async function Ph(e,t){let n=await pe("get_memory",
{...Fe(),limit:100,bins:300},t.signal),{totals:s,sites:l,over_time:r}=n;if(!l.length)return e.append(U("Memory",fe("No call of this part obtained memory."),be(n))),
()=>{};e.append(U("Memory",mt([["Held at the end",Oe(s.held_bytes)],["Held at most",Oe(s.peak_bytes)],["Allocations held",O(s.held_allocations)],["Freed, but ob\
tained before",O(s.frees_of_unseen)],["Of unknown address",s.address_unknown?O(s.address_unknown):null]]),be(n)));let a=null;if(r){let o=Number(Ce(r.from)-t.origin),
u=r.total_bytes.map((x,y)=>o+y*r.bin_ns),f=r.site_bytes.slice(0,Ga),p=f.map((x,y)=>({name:Ka(l[y]),values:x})),g=r.total_bytes.map((x,y)=>Math.max(0,x-f.reduce(
(v,M)=>v+M[y],0)));g.some(x=>x>0)&&p.push({name:"others",values:g}),a=_n({label:"Bytes held by call site",times:u,series:p,stacked:!0,text:Oe,timeText:E,height:280}),
e.append(U("Held over time, by call site",a,m("p",{class:"quiet"},"The most held in each part; what the program held before the recording is not seen.")))}e.append(
U("Call sites",X({caption:"Call sites",rows:l.map((o,u)=>({...o,i:u})),columns:[{head:"Where",node:o=>m("span",{},m("i",{class:"dot","data-ink":o.i<Ga?o.i:""}),
Ka(o))},{head:"Call",text:o=>o.op,sort:o=>o.op},{head:"Held",number:!0,text:o=>Oe(o.held_bytes),sort:o=>o.held_bytes},{head:"At most",number:!0,text:o=>Oe(o.peak_bytes),
sort:o=>o.peak_bytes},{head:"Obtained",number:!0,text:o=>Oe(o.bytes),sort:o=>o.bytes},{head:"Given back",number:!0,text:o=>Oe(o.freed_bytes),sort:o=>o.freed_bytes},
{head:"Calls",number:!0,text:o=>O(o.calls),sort:o=>o.calls},{head:"Failed",number:!0,text:o=>o.failed?O(o.failed):"",sort:o=>o.failed}]})));for(let o of e.querySelectorAll(
"[data-ink]"))o.dataset.ink!==""&&(o.style.background=xl(Number(o.dataset.ink)));return()=>a?.close()}var ja={name:"memory",title:"Memory",draw:Ph};var Ja=4;function Ih(e,t,n){let[s,l]=[120,18],r=m("canvas",{width:s*2,height:l*2,class:"spark",role:"img","aria-label":e?`most often about ${E(e.from_ns[e.counts.
indexOf(Math.max(...e.counts))])}`:"not known"});if(!e)return r;let a=r.getContext("2d");a.scale(2,2),a.fillStyle=ve(e.kind);let o=Math.max(...e.counts),u=f=>(Math.
log2(Math.max(f,1))-t)/(n-t)*(s-3);return e.from_ns.forEach((f,p)=>{let g=Math.max(1.5,Math.log1p(e.counts[p])/Math.log1p(o)*l);a.fillRect(u(f),l-g,Math.max(2,s/
((n-t)*Ja)-.5),g)}),r}function Wh(e,t,n){let s=w=>{let T=2**Math.floor(Math.log2(Math.max(w,1)));return w+Math.max(1,T/16)},[l,r]=[Math.log2(Math.max(e.from_ns[0],
1)),Math.log2(s(e.from_ns.at(-1)))],a=Math.max(...e.counts),o=160,u=m("canvas",{class:"distribution",role:"img","aria-label":`Distribution of ${e.op}`}),f=0,p=null,
g=null,x=w=>(Math.log2(Math.max(w,1))-l)/Math.max(r-l,.01)*f,y=w=>2**(l+w/f*(r-l));function v(){let w=devicePixelRatio||1;f=u.clientWidth,u.width=f*w,u.height=o*
w;let T=u.getContext("2d");T.scale(w,w);let S=g??(t?[x(t[0]),x(t[1])]:null);S&&(T.fillStyle=ve("chosen"),T.fillRect(Math.min(...S),0,Math.abs(S[1]-S[0]),o-18)),
T.fillStyle=ve(e.kind),e.from_ns.forEach((N,Z)=>{let G=Math.max(2,Math.log1p(e.counts[Z])/Math.log1p(a)*(o-24));T.fillRect(x(N),o-18-G,Math.max(1,x(s(N))-x(N)-.5),
G)}),T.fillStyle=ve("quiet"),T.font="11px system-ui, sans-serif";let K=r-l>5?[1]:r-l>2?[1,2,5]:[1,1.5,2,3,4,5,6,7,8,9];for(let N=0,Z=-60;N<12;N++)for(let G of K){
let ee=x(G*10**N);ee<Math.max(0,Z+60)||ee>f-40||(T.fillText(E(G*10**N),ee,o-4),Z=ee)}}u.addEventListener("pointerdown",w=>{p=w.offsetX,u.setPointerCapture(w.pointerId)}),
u.addEventListener("pointermove",w=>{p!==null&&(g=[p,w.offsetX],v())}),u.addEventListener("pointerup",w=>{let[T,S]=[p,w.offsetX].sort((K,N)=>K-N);p=g=null,n(S-T>
3?[Math.floor(y(Math.max(0,T))),Math.ceil(y(Math.min(f,S)))]:null)});let M=new ResizeObserver(v);M.observe(u);let $=(w,T,S)=>[m("label",{for:w},T),m("input",{id:w,
type:"number",min:"0",step:"any",value:S??""})],C=m("form",{class:"bar"},$("least","From \xB5s",t?t[0]/1e3:null),$("most","to \xB5s",t?t[1]/1e3:null),m("button",
{type:"submit"},"List these calls"),t?m("button",{type:"button",onclick:()=>n(null)},"All"):null);return C.addEventListener("submit",w=>{w.preventDefault();let[
T,S]=[C.querySelector("#least").value,C.querySelector("#most").value];n(T===""&&S===""?null:[Math.floor(Number(T||0)*1e3),Math.ceil(Number(S||1e12)*1e3)])}),{node:m(
"div",{},u,m("p",{class:"quiet"},"Calls by duration, both on logarithmic scales. Drag over a part to list its calls."),C),close:()=>M.disconnect()}}async function Fh(e,t,n){
let s=e.origin,l=Xt("timestamp",a=>String(Ce(a))),r=await Ze(`SELECT seq, timestamp - ${s} AS start_ns, duration, pid, tid, comm, failed, bytes, kernel FROM eve\
nts
    WHERE call = '${t.call.replaceAll("'","''")}' AND ${l} ${n?`AND duration BETWEEN ${n[0]} AND ${n[1]}`:""}
    ORDER BY duration DESC`,50,e.signal);return r.length?X({caption:`Calls of ${t.op}, longest first`,rows:r,most:50,columns:[{head:"Took",number:!0,text:a=>E(a.
duration),sort:a=>a.duration},{head:"At",number:!0,node:a=>m("a",{href:lt({view:"timeline",from:Ot(s+BigInt(a.start_ns-Math.max(1e3,a.duration??0))),to:Ot(s+BigInt(
a.start_ns+2*Math.max(1e3,a.duration??0))),chosen:{call:a.seq}})},E(a.start_ns)),sort:a=>a.start_ns},{head:"Thread",text:a=>`${a.comm??""} ${a.pid}/${a.tid}`},{
head:"Bytes",number:!0,text:a=>Oe(a.bytes),sort:a=>a.bytes},{head:"Failed",text:a=>a.failed?"yes":""},{head:"Kernel",text:a=>a.kernel??""}]}):fe("No call of thi\
s part took so long.")}var Bh=e=>U("Kernels",X({caption:"Kernels",rows:e,sorted:2,columns:[{head:"Kernel",text:t=>t.kernel??"without a name",sort:t=>t.kernel??""},
{head:"Launches",number:!0,text:t=>O(t.launches),sort:t=>t.launches},{head:"Waited behind it",number:!0,text:t=>E(t.wait_ns),sort:t=>t.wait_ns,title:"Its share \
of the waits of the threads that launched it: a wait is shared equally among the launches since the one before"},{head:"Copied",number:!0,text:t=>Oe(t.copied_bytes),
sort:t=>t.copied_bytes,title:"Its share of the bytes copied meanwhile"},{head:"In launching",number:!0,text:t=>E(t.launch_ns),sort:t=>t.launch_ns},{head:"Failed",
number:!0,text:t=>t.failed?O(t.failed):"",sort:t=>t.failed}]}));async function zh(e,t){let[n,s]=await Promise.all([pe("get_trace_stats",Fe(),t.signal),pe("get_d\
istributions",{...Fe(),per_octave:Ja},t.signal)]),l=new Map(s.calls.map(w=>[w.call,w])),r=Math.min(10,...s.calls.map(w=>Math.log2(Math.max(w.from_ns[0],1)))),a=Math.
max(11,...s.calls.map(w=>Math.log2(w.from_ns.at(-1))+.5)),o=n.calls.reduce((w,T)=>w+(T.total_ns??0),0),u=[{head:"Call",text:w=>w.op+("single_step_ns"in w?" *":""),
sort:w=>w.op},{head:"Count",number:!0,text:w=>O(w.count),sort:w=>w.count},{head:"Total",number:!0,text:w=>E(w.total_ns),sort:w=>w.total_ns},{head:"Share",number:!0,
text:w=>w.kind==="host"?"":ln(w.total_ns/o),title:"Of all calls' time; a call made inside another is in both"},{head:"p50",number:!0,text:w=>E(w.p50_ns),sort:w=>w.
p50_ns},{head:"p95",number:!0,text:w=>E(w.p95_ns),sort:w=>w.p95_ns},{head:"p99",number:!0,text:w=>E(w.p99_ns),sort:w=>w.p99_ns},{head:"Longest",number:!0,text:w=>E(
w.max_ns),sort:w=>w.max_ns},{head:"Errors",number:!0,text:w=>w.errors?O(w.errors):"",sort:w=>w.errors},{head:"Bytes",number:!0,text:w=>w.bytes===null?"":Oe(w.bytes),
sort:w=>w.bytes},{head:"Off CPU",number:!0,text:w=>w.off_cpu?ln(Object.values(w.off_cpu).reduce((T,S)=>T+S,0)/w.total_ns):"",title:"Part of the time that the ca\
lling threads were off the CPU"}],f=[{head:"Layer",text:w=>w.layer,sort:w=>w.layer},{head:"Distribution",node:w=>Ih(l.get(w.call),r,a)}];matchMedia("(max-width:\
 600px)").matches?u.push(...f):u.splice(1,0,...f);let p=u.findIndex(({head:w})=>w==="Total"),g=F.chosen.op??null,x=w=>Ie({op:w.call,least:null,most:null},!1);e.
append(U("Calls",n.calls.length?X({caption:"Calls",rows:n.calls,columns:u,sorted:p,choose:x,key:w=>w.call,chosen:g}):fe("No call was recorded in this part.")),...n.
host.length?[U("What the host did",X({caption:"Host events",rows:n.host,columns:u.filter(({head:w})=>w!=="Off CPU"&&w!=="Share"),choose:x,key:w=>w.call,chosen:g}))]:
[]),n.kernels?.length&&e.append(Bh(n.kernels)),n.calls.some(w=>"single_step_ns"in w)&&e.append(m("p",{class:"quiet"},"* Probed on an instruction that the kernel\
 single-steps: a part of each duration is that step. Choose the call to see how much."));for(let w of[n,s])w.cut.length&&e.append(be(w));if(!g)return()=>{};let y=await pe(
"get_distributions",{...Fe(),op:g,per_octave:16},t.signal),v=y.calls.find(w=>w.call===g)??y.calls[0];if(!v)return e.prepend(U(g,fe("It was not called in this pa\
rt, or has no durations."))),()=>{};let M=F.chosen.least?[Number(F.chosen.least),Number(F.chosen.most)]:null,$=Wh(v,M,w=>Ie({least:w?.[0]??null,most:w?.[1]??null},
!1)),C=[...n.calls,...n.host].find(w=>w.call===v.call);return e.prepend(U(v.op,mt([["Count",O(v.count)],["p50",E(C?.p50_ns)],["p99",E(C?.p99_ns)],["Longest",E(C?.
max_ns)],["Library's name",v.call],["Of each the probe's single step",C&&"single_step_ns"in C?E(C.single_step_ns):null]]),$.node,await Fh(t,v,M))),$.close}var Za={
name:"operations",title:"Operations",draw:zh};var _l={device_wait:"waiting for the device",communication:"waiting for a collective",submit:"submitting",copy:"copying",allocate:"allocating",other_call:"other\
 GPU calls",host:"host code",page_fault:"page faults",cpu_wait:"waiting for a CPU",throttled:"throttled (CPU quota)",stopped:"stopped",disk:"waiting for a disk",
reclaim:"memory reclaim",pipe:"waiting for a pipe",socket:"waiting for a socket",futex:"waiting for a lock",poll:"waiting in poll",child:"waiting for a child",sleep:"\
sleeping",driver:"waiting in a driver",other_wait:"waiting for something else",blocked:"blocked (not recorded on what)",unknown:"not known"},Qa=Object.keys(_l),
Wn=e=>_l[e]??String(e).replaceAll("_"," "),yl=e=>e in _l?`t-${e}`:"t-unknown",Xa=e=>e in _l?Qa.indexOf(e):Qa.length,ms=e=>[...e].sort((t,n)=>Xa(t.name)-Xa(n.name));var Ds=20,Hh=24,Vh=.004,zo=(e,t)=>e[Math.min(e.length-1,Math.floor(t*e.length))];function qh(e){let t=Math.max(...e.map(l=>l.duration_ns)),n=e.filter(l=>!l.is_slow),
s=(n.length?n:e).map(l=>l.duration_ns).sort((l,r)=>l-r);return Math.min(t,Math.max(3*zo(s,.5),1.2*zo(s,.9)))||1}function Uh(e){let t=e.slice(1).map((s,l)=>s.at-
e[l].at-e[l].duration_ns),n=zo([...t].sort((s,l)=>s-l),.5)??0;return new Set(t.flatMap((s,l)=>s>Math.max(1e9,5*n)?[l+1]:[]))}function Yh(e,t,n,s,l){let r=Math.min(
e.low,e.ns),a=[[e.ns-r,"pale"],[r,""]],o=n,u=[];for(let[f,p]of a){let[g,x]=[Math.min(o,l.top),Math.min(o+f,l.top)];o+=f;let y=(x-g)*s;y>=Vh*l.height&&u.push(De(
"rect",{class:`${yl(e.name)} ${p}`,x:t.x,y:(l.y-x*s).toFixed(1),width:t.width,height:y.toFixed(1)}))}return u}function Gh(e,{left:t,width:n,y:s,scale:l}){let r=Qr(
e/4),a=[];for(let o=r;o<=e;o+=r){let u=Math.round(s-o*l)+.5;a.push(De("line",{class:"grid",x1:t,x2:n,y1:u,y2:u}),De("text",{class:"axis",x:t-5,y:u+4,"text-ancho\
r":"end"},E(o)))}return De("g",{"aria-hidden":"true"},a)}function Kh(e,t,n){let s=[],l=[],r=e.map((a,o)=>({item:a,i:o})).filter(({item:a})=>a.duration_ns>n*1.001).
sort((a,o)=>o.item.duration_ns-a.item.duration_ns);for(let{item:a,i:o}of r){let u=E(a.duration_ns),f=t[o].x+t[o].width/2,p=3.4*u.length;s.some(g=>Math.abs(g.middle-
f)<p+g.half+4)||(s.push({middle:f,half:p}),l.push(De("text",{class:"axis",x:f,y:Ds-7,"text-anchor":"middle"},u)))}return l}function ec(e,t){let n=t<500?220:260,
s=t<500?50:62,l=n-Hh,r=qh(e),a=(l-Ds)/r,o=Uh(e),u=Math.min(48,(t-s-2)/(e.length+o.size)),f=[],p=[],g=s+2;e.forEach((y,v)=>{o.has(v)&&(g+=u);let M={x:g,width:u},
$={x:(g+Math.min(1,u*.1)).toFixed(2),width:Math.max(1,u-Math.min(2,u*.2)).toFixed(2)},C=[],w=0;for(let T of ms(y.classes))C.push(...Yh(T,$,w,a,{y:l,top:r,height:l-
Ds})),w+=T.ns;y.duration_ns>r*1.001&&C.push(De("line",{class:"cut-mark",x1:g,x2:g+u,y1:Ds+9,y2:Ds+5})),y.is_slow&&C.push(De("rect",{class:"slow",x:$.x,y:l+2,width:$.
width,height:4})),f.push(M),p.push(C),g+=u});let x=[De("line",{class:"base","aria-hidden":"true",x1:s,x2:t,y1:l+.5,y2:l+.5}),tl(f.map((y,v)=>({x:y.x,at:e[v].at})),
n-5,t),De("g",{"aria-hidden":"true"},Kh(e,f,r))];return{height:n,slots:f,shapes:p,behind:[Gh(r,{left:s,width:t,y:l,scale:a})],before:x}}function tc(e,t,n){let s=new Map(e.map(l=>[l[n],l]));for(let l of t)s.get(l[n])?.classes.push({name:l.class,ns:l.ns,low:l.low,high:l.high});return e}var nc=({pid:e,
tid:t,node:n})=>`pid = ${Number(e)} AND tid = ${Number(t)} AND ${Xt("timestamp",s=>String(Ce(s)))}`+(n?` AND session IN (SELECT id FROM sessions WHERE node = ${Qt(
n)})`:""),Ho=(e,{info:t,signal:n})=>t.legacy?[]:Ze(e,1e4,n);async function sc(e,t,{info:n,origin:s,signal:l}){let r=await Ho(`WITH s AS (SELECT id, timestamp, n\
umber, duration_ns, is_slow, usual_ns, slow_class, more_ns, idle_low, idle_high,
      ntile(${t}) OVER (ORDER BY timestamp) AS part, row_number() OVER (PARTITION BY is_slow ORDER BY coalesce(more_ns, 0) DESC) AS bad
      FROM steps WHERE ${nc(e)}),
    p AS (SELECT *, row_number() OVER (PARTITION BY part ORDER BY duration_ns) AS at_place, count(*) OVER (PARTITION BY part) AS others,
      count(*) OVER () AS recorded, sum(is_slow) OVER () AS slow FROM s)
    SELECT id, timestamp - ${s} AS at, number, duration_ns, is_slow, usual_ns, slow_class, more_ns, idle_low, idle_high, recorded, slow
    FROM p WHERE at_place = (others + 1) / 2 OR (is_slow AND bad <= ${Math.ceil(t/3)}) ORDER BY timestamp`,{info:n,signal:l});if(!r.length)return[];let a=await Ze(
`SELECT step AS id, class, ns, low, high FROM step_classes WHERE step IN (${r.map(o=>Number(o.id)).join()})`,1e4,l);return tc(r.map(o=>({...o,classes:[]})),a,"i\
d")}async function lc(e,t,{info:n,origin:s,signal:l}){let r=nc(e),a=await Ho(`WITH s AS (SELECT DISTINCT timestamp FROM budget WHERE ${r}), n AS (SELECT timesta\
mp, ntile(${t}) OVER (ORDER BY timestamp) AS part FROM s),
    p AS (SELECT part, min(timestamp) AS began, count(*) AS seconds FROM n GROUP BY part)
    SELECT n.part AS id, p.began - ${s} AS at, p.seconds AS seconds, class, CAST(sum(ns) / p.seconds AS INTEGER) AS ns, CAST(sum(low) / p.seconds AS INTEGER) AS\
 low, CAST(sum(high) / p.seconds AS INTEGER) AS high
    FROM budget JOIN n USING (timestamp) JOIN p ON p.part = n.part WHERE ${r} GROUP BY n.part, class ORDER BY n.part`,{info:n,signal:l}),o=new Map(a.map(f=>[f.id,
{id:f.id,at:f.at,seconds:f.seconds,classes:[]}])),u=tc([...o.values()],a,"id");for(let f of u)f.duration_ns=f.classes.reduce((p,g)=>p+g.ns,0);return u}var oc=(e,t,{
info:n,origin:s,signal:l})=>Ho(`SELECT path, sum(ns) AS ns FROM blame WHERE pid = ${Number(e.pid)} AND step = ${Number(t.number)}
  AND timestamp - ${s} = ${Number(t.at)} GROUP BY path ORDER BY ns DESC LIMIT 3`,{info:n,signal:l});var rc="Where the steps' time went",jh=150,Jh=8,vl=e=>`${e.process.node??""}|${e.process.pid}`,kl=({process:e})=>`${e.name||"?"} (pid ${e.pid})`,Vo=e=>e.steps?"\
step":"second",Zh=e=>Math.max(1,e.steps?e.steps.evaluated:e.interval.evaluated_ns/1e9);function ic(e,t){return t<=1.1*e?E(e):e?`${E(e)} to ${E(t)}`:`up to ${E(t)}`}
var Qh=e=>m("i",{class:`kind ${yl(e)}`,"aria-hidden":"true"}),ac=e=>e.high?ic(e.low,e.high):"",cc=e=>m("span",{},Qh(e.name),Wn(e.name));function uc(e){let t=Zh(
e),n=ms(e.classes).map(s=>({name:s.name,ns:s.ns/t,share:s.share,low:s.lost_ns.low/t,high:s.lost_ns.high/t}));return X({caption:`What a ${Vo(e)} is made of`,rows:n,
sorted:1,columns:[{head:"What the thread did",node:cc,sort:s=>Wn(s.name)},{head:`A ${Vo(e)}`,number:!0,text:s=>E(s.ns),sort:s=>s.ns},{head:"Share",number:!0,text:s=>ln(
s.share),sort:s=>s.share},{head:"Lost",number:!0,text:ac,sort:s=>s.high,title:"Meanwhile the device had nothing to do, and waited for this thread: at least and \
at most"}]})}function Xh(e,t){return e.length<2?null:m("div",{},m("h3",{},"Programs"),X({caption:"Programs; choose one to see its steps",rows:e,key:vl,chosen:t,
choose:n=>Ie({program:vl(n),step:null},!1),columns:[{head:"Program",text:n=>`${kl(n)}${n.process.node?` on ${n.process.node}`:""}`},{head:"Result",text:n=>[n.verdict.
name,n.verdict.second].filter(Boolean).join(" and ")},{head:"Steps",number:!0,text:n=>O(n.steps?.count)},{head:"Usual step",number:!0,text:n=>E(n.steps?.usual_ns)},
{head:"Device idle",number:!0,text:n=>ed(n),title:"Share of the time in which the device had nothing to do, at least and at most, as far as this program's calls\
 say"}]}))}function ed(e){let[t,n]=[e.idle_ns.low,e.idle_ns.high].map(s=>ln(s/Math.max(1,e.interval.evaluated_ns)));return t===n?t:`${t} to ${n}`}var td=(e,t)=>t?
`Step ${O(e.number)}`:`${E(Math.max(0,e.at))}, ${O(e.seconds)} s`,fc=e=>e.is_slow?`slow: ${E(e.more_ns)} more ${Wn(e.slow_class)} than usual`:"";function nd(e,t){
let n=[...e.classes].sort((s,l)=>l.ns-s.ns).slice(0,3).map(s=>`${Wn(s.name)} ${E(s.ns)}`).join(", ");return t?`Step ${e.number} took ${E(e.duration_ns)}${e.is_slow?
`, ${fc(e)}`:""}; ${n}`:`A second from ${E(Math.max(0,e.at))} on; ${n}`}function sd(e,t,n){let s=new Map;for(let a of e)for(let o of a.classes)s.set(o.name,(s.get(
o.name)??0)+o.ns);let l=ms([...s].sort((a,o)=>o[1]-a[1]).slice(0,6).map(([a])=>({name:a}))),r=e.map((a,o)=>({...a,i:o,by:Object.fromEntries(a.classes.map(u=>[u.
name,u.ns]))}));return X({caption:t?"Steps of the picture; choose one":"Parts of the picture; choose one",rows:r,choose:a=>n(a.i),most:300,columns:[{head:t?"Ste\
p":"From",text:a=>td(a,t),sort:a=>a.at},...t?[{head:"At",number:!0,text:a=>E(a.at),sort:a=>a.at},{head:"Took",number:!0,text:a=>E(a.duration_ns),sort:a=>a.duration_ns},
{head:"Slow",text:a=>a.is_slow?Wn(a.slow_class):"",sort:a=>a.slow_class}]:[],...l.map(({name:a})=>({head:Wn(a),number:!0,text:o=>E(o.by[a]??0),sort:o=>o.by[a]??
0}))]})}async function ld(e,t,n){let s=e.slow.find(r=>r.step===t.number&&Math.abs(r.duration_ns-t.duration_ns)<1e6);return s?.blame?.length?s.blame.map(r=>r.sentence):
(await oc(e.process,t,n)).map(r=>`${E(r.ns)}: ${r.path}`)}var qo=class{constructor(t,n,s,l){Object.assign(this,{time:t,items:n,context:l,isStep:s}),this.detail=
m("div",{id:"chosen-step","aria-live":"polite"});let r=n.filter(u=>u.is_slow).sort((u,f)=>f.more_ns-u.more_ns),a=F.chosen.step??(t.verdict.of_slow_steps?r[0]?.id:
null);this.picture=nl({id:"steps",items:n,chosen:a,draw:u=>ec(n,u),onChoose:u=>this.take(u),label:this.isStep?"Steps over time, by what the thread did. Arrow ke\
ys choose one.":"Seconds over time, by what the thread did. Arrow keys choose one."});let o=u=>this.picture.choose(this.picture.chosen()<0?0:this.picture.chosen()+
u);this.bar=m("div",{class:"bar"},m("button",{onclick:()=>o(-1),title:"The column before (\u2190)"},"Earlier"),m("button",{onclick:()=>o(1),title:"The next colu\
mn (\u2192)"},"Later"),r.length?m("button",{onclick:()=>this.nextSlow()},"Next slow step"):null,m("span",{class:"quiet"},this.summary()))}summary(){let{time:t,items:n}=this;
if(!this.isStep)return`no steps were found: each column is ${n[0].seconds>1?`an average second of ${O(n[0].seconds)}`:"a second"}`;let{recorded:s,slow:l}=n[0];return`${n.
length<s?`${O(n.length)} of ${O(s)} recorded steps`:`${O(s)} recorded steps`}${t.steps?`, of ${O(t.steps.count)}`:""}; ${l?`${O(l)} of them slow`:"none of them \
slow"}`}nextSlow(){let{items:t}=this,n=this.picture.chosen();for(let s=1;s<=t.length;s++){let l=(n+s+t.length)%t.length;if(t[l].is_slow)return this.picture.choose(
l)}}take(t){Ie({step:t.id},!0),this.describe(t)}async describe(t){this.item=t;let{isStep:n,context:s}=this,l=t.classes.reduce((f,p)=>f+p.ns,0),r=n?`Step ${O(t.number)}\
 took ${E(t.duration_ns)}`:`${O(t.seconds)} s from ${E(Math.max(0,t.at))} on: a second of it`,a=m("div"),[o,u]=[t.at,t.at+(n?t.duration_ns:t.seconds*1e9)].map(f=>Ot(
s.origin+BigInt(Math.round(f))));if(this.detail.replaceChildren(m("h3",{},r),t.is_slow?m("p",{},`It was ${fc(t)} (${E(t.usual_ns)}).`):"",a,X({caption:"What it \
is made of",rows:ms(t.classes),sorted:1,columns:[{head:"What the thread did",node:cc},{head:"Time",number:!0,text:f=>E(f.ns),sort:f=>f.ns},{head:"Share",number:!0,
text:f=>ln(f.ns/l),sort:f=>f.ns},{head:"Lost",number:!0,text:ac,sort:f=>f.high}]}),n?mt([["Device had nothing to do",t.idle_high?ic(t.idle_low,t.idle_high):"0"]]):
"",m("p",{},m("a",{href:lt({view:"timeline",from:o,to:u})},"Show it on the timeline"))),!!t.is_slow)try{let f=await ld(this.time,t,s);this.item===t&&f.length&&a.
replaceChildren(m("ul",{"aria-label":"Its time was lost to"},f.map(p=>m("li",{},p))))}catch(f){f.name!=="AbortError"&&s.say(f.message)}}element(){let{items:t,picture:n}=this,
s=n.chosen();s>=0?this.describe(t[s]):this.detail.replaceChildren(m("p",{class:"quiet"},`Choose a ${this.isStep?"step":"column"} in the picture: click it, or us\
e the arrow keys. Its reason, where it is known, stands here.`));let l=r=>{n.choose(r),n.focus()};return[this.bar,n,m("p",{class:"quiet note"},m("i",{class:"kin\
d full","aria-hidden":"true"}),"full colour: lost, the device had nothing to do meanwhile; ",m("i",{class:"kind pale","aria-hidden":"true"}),"pale: it had, or m\
ay have had",t.some(r=>r.is_slow)?[". ",m("i",{class:"kind slow","aria-hidden":"true"}),"below a column: a slow step"]:"",this.isStep?". A column whose top is c\
ut is taller, as its figure says.":"."),m("div",{class:"pair"},m("div",{},m("h3",{},`A ${Vo(this.time)} on average`),uc(this.time)),this.detail),m("details",{},
m("summary",{},"The picture as a table"),sd(t,this.isStep,l))]}};async function hc(e,t){let n=e.processes;if(!n.length)return{card:U(rc,fe(e.known?"No program o\
f this part makes GPU calls.":"Not known: only a part of the calls was recorded one by one."),be(e)),close:()=>{}};let s=n.find(p=>vl(p)===F.chosen.program)??n[0],
l=Math.max(20,Math.min(jh,Math.floor((Math.min(innerWidth,1600)-120)/Jh))),r=await sc(s.process,l,t),a=r.length>0,o=(a?r:await lc(s.process,l,t)).map(p=>({...p,
label:nd(p,a)})),u=o.length?new qo(s,o,a,t):null;return{card:U(rc,n.length>1?m("p",{},m("b",{id:"program"},kl(s))):null,u?u.element():[fe("The recording has no \
steps to draw; what they are made of on average was computed anew."),uc(s)],Xh(n,vl(s)),be(e)),close:()=>u?.picture.close()}}var pc=e=>m("span",{class:`severity ${String(e).toLowerCase()}`},e);function od(e){return e?.length?m("details",{},m("summary",{},`Where it happened: ${e[0]}`),
m("ol",{class:"frames"},e.map(t=>m("li",{},t)))):null}var rd=/\d\s?(?:ns|[uµ]s|ms|s|min|h)\b/;function mc(e,t){let n=[e.lost_ns&&!rd.test(e.summary)&&`${E(e.lost_ns)}\
 lost`,e.rank!==null&&e.rank!==void 0&&`rank ${e.rank}`,e.op,e.onset&&`from ${Rn(e.onset)}`,e.node];return m("article",{class:"chain"},m(t?"h3":"h4",{},pc(e.severity),
" ",e.summary),e.explanation?m("p",{},e.explanation):null,m("p",{class:"quiet"},n.filter(Boolean).join(" \xB7 ")),e.recommendations?.length?m("ul",{class:"remed\
ies","aria-label":"Remedies"},e.recommendations.map(s=>m("li",{},s))):null,m("details",{},m("summary",{},"What was measured"),m("p",{},e.root_cause),e.timeline?.
length?m("ol",{},e.timeline.map(s=>m("li",{},m("b",{},s.layer),` ${s.detail}`))):null),od(e.stack),e.onset&&e.end?m("p",{},m("a",{href:lt({view:"timeline",from:e.
onset,to:e.end,chosen:{chain:e.id}})},"Show it on the timeline")):null)}function dc(e,t){let n=e.filter(r=>t&&r.pid===t.process.pid&&(r.node??null)===(t.process.
node??null)),s=e.filter(r=>!n.includes(r)),l=(r,a)=>a.length?m("details",{},m("summary",{},r),a.map(o=>mc(o,!1))):null;return[l(`Its evidence: ${n.length} causa\
l chain${n.length===1?"":"s"}`,n),l(`Also found: ${s.length} causal chain${s.length===1?"":"s"}`,s)]}var id=.1;function ad(e){let{verdict:t}=e,n=e.blame.filter(
l=>l.high_ns>=id*e.blame[0].high_ns).slice(0,2),s=[...t.degree?n.map(l=>l.sentence):[],...t.because];return m("article",{class:"chain",id:"result"},m("h3",{},t.
sentence),m("p",{class:"quiet"},[kl(e),e.process.node&&`on ${e.process.node}`].filter(Boolean).join(" ")),s.length?m("ul",{"aria-label":"Reasons"},s.map(l=>m("l\
i",{},l))):null,t.degree&&e.remedy?m("p",{},m("b",{},"What to do: "),e.remedy):null)}function cd(e,t){let[n]=t.chains,[s]=e.processes;return String(n?.severity).
toUpperCase()==="CRITICAL"||!s?null:s.verdict.degree||!n||String(n.severity).toUpperCase()==="LOW"?s:null}function ud(e,t,n){let s=cd(e,t),[l,...r]=t.chains,a=t.
earlier_chains??[],o=!l&&!e.processes.some(f=>f.verdict.degree),u=s?ad(s):l?mc(l,!0):null;return U("The cause",u,o?fe(n.live?"No cause has been found so far.":"\
Nothing is wrong that the rules know of."):null,s?dc(t.chains,s):dc(r,null),a.length?m("details",{},m("summary",{},`${a.length} chains that the legacy agent sto\
red`),m("ul",{},a.map(f=>m("li",{},pc(f.severity),` ${f.summary}: ${f.verdict}`)))):null,be(t))}var fd=e=>e.calls.length?U("Calls that have not returned",X({caption:"\
Calls in flight, longest first",rows:e.calls,columns:[{head:"Call",text:t=>t.call},{head:"Thread",text:t=>`${t.process??""} ${t.pid}/${t.tid}`},{head:"For",text:t=>E(
t.duration_ns),number:!0}]})):"";function hd(e){let t=e.calls.slice(0,8);return U("Where the calls' time went",t.length?X({caption:"Calls by total time",rows:t,
columns:[{head:"Call",node:n=>m("a",{href:lt({view:"operations",chosen:{op:n.call}})},n.op)},{head:"Count",text:n=>O(n.count),number:!0},{head:"Total",text:n=>E(
n.total_ns),number:!0},{head:"p50",text:n=>E(n.p50_ns),number:!0},{head:"p99",text:n=>E(n.p99_ns),number:!0},{head:"Longest",text:n=>E(n.max_ns),number:!0}]}):fe(
"No call was recorded in this part."))}var dd=e=>U("Processes",X({caption:"Processes",rows:e.processes,most:20,columns:[{head:"Process",text:t=>`${t.process??"?"}\
 ${t.pid}`},{head:"Calls",text:t=>O(t.calls),number:!0},{head:"Errors",text:t=>O(t.errors),number:!0},{head:"Host events",text:t=>O(t.host_events),number:!0},{head:"\
Longest call",text:t=>E(t.calls?t.max_ns:null),number:!0}]})),pd=(e,t)=>U("The recording",mt([["File",t.file],["Schema",t.schema],["Events in this part",O(e.events)],
["First",e.first],["Last",e.last],["Rows pruned",e.rows_pruned?O(e.rows_pruned):null],["Lost",e.lost===null?e.recording.not_ended?"not known: the recording has \
no proper end, see Capture":"not known: the legacy agent did not count it":e.lost.some(n=>n.severity!=="info")?m("a",{href:lt({view:"health"})},"something was: \
see Capture"):"nothing"]]),be(e)),md=e=>e.catch(t=>{if(!(t instanceof Lt)||t.status<500)throw t;return{known:!1,processes:[],cut:[t.message]}});async function gd(e,t){
let{info:n,signal:s,show:l}=t,[r,a,o,...u]=["The cause","Where the steps' time went",null,"Where the calls' time went","Processes","The recording"].map(y=>e.appendChild(
y?U(y,lo()):m("div",{hidden:!0})));l();async function f(y,v,M){try{(await M(await v)).forEach((C,w)=>y[w].replaceWith(C))}catch($){if(!($ instanceof Lt)||$.status<
500)throw $;for(let C of y.filter(w=>!w.hidden))C.querySelector(".waiting").replaceWith(m("p",{role:"alert"},$.message))}}let p=()=>{},g=md(pe("get_time_spent",
{...Fe(),limit:20},s)),x=pe("get_causal_chains",{...Fe(),top_n:20},s);return await Promise.all([f([r],x,async y=>[ud(await g,y,n)]),f([a],g,async y=>{let v=await hc(
y,t);return p=v.close,[v.card]}),f([o],pe("get_calls_in_flight",{...Fe(),limit:5},s),y=>[fd(y)]),f(u,pe("get_trace_stats",Fe(),s),y=>[hd(y),dd(y),pd(y,n)])]),()=>p()}
var gc={name:"overview",title:"Overview",draw:gd};var Go=()=>Xt("timestamp",e=>String(Ce(e))),Uo=e=>e==="bytes"?Oe:t=>t==null?"\u2013":Zt(t),wd=["","down","initialising","armed","active","deferred"];async function wc(e,t){
let n=await Ze(t,1e4,e.signal);return{times:n.map(s=>s.at),values:n.map(s=>s.value)}}async function bd(e,t){let n=await pe("get_fabric",Fe(),t.signal),s=bc(t);if(!n.
known||!n.links.length&&!n.counters.length)e.append(U("Fabric",fe("No adapter was sampled: there was none, or the legacy agent recorded this."),be(n)));else{e.append(
U("Links",X({caption:"Links",rows:n.links,columns:[{head:"Adapter",text:o=>`${o.device}, port ${o.port}`},{head:"Layer",text:o=>o.link_layer??""},{head:"State",
text:o=>wd[o.state]??String(o.state??"\u2013")},{head:"Changes",number:!0,text:o=>O(o.changes)}]})));let l=o=>`${o.device}|${o.port??""}|${o.origin}|${o.name}`,
r=n.counters.find(o=>l(o)===F.chosen.counter),a=null;if(r){let o=await wc(t,`SELECT timestamp - ${t.origin} AS at, value FROM fabric_samples WHERE device = ${Qt(
r.device)} AND name = ${Qt(r.name)}
        AND origin = ${Qt(r.origin)} AND port IS ${r.port??"NULL"} AND ${Go()} ORDER BY timestamp`);a=_n({label:r.name,times:o.times,series:[{name:r.name,values:o.
values}],text:Uo(r.unit),timeText:E}),e.append(U(`${r.device}: ${r.name}`,a))}return e.append(U("Counters",X({caption:"Counters; choose one to see it over time",
rows:n.counters,sorted:3,key:l,chosen:F.chosen.counter??null,choose:o=>Ie({counter:l(o)},!1),columns:[{head:"Counter",text:o=>o.name,sort:o=>o.name},{head:"Adap\
ter",text:o=>o.device,sort:o=>o.device},{head:"Port",text:o=>o.port??""},{head:"Grew by",number:!0,text:o=>Uo(o.unit)(o.grew_by),sort:o=>o.grew_by},{head:"Value",
number:!0,text:o=>Uo(o.unit)(o.value),sort:o=>o.value},{head:"Resets",number:!0,text:o=>o.resets?O(o.resets):""}]}),be(n))),a&&e.prepend(a.parentNode),Yo(a,await s,
e)}return Yo(null,await s,e)}var Yo=(e,t,n)=>(t&&n.append(t.card),()=>{e?.close(),t?.chart.close()});async function bc(e){let t=await Ze(`SELECT timestamp - ${e.
origin} AS at, cpu_pct, mem_pct FROM system_snapshots WHERE ${Go()} ORDER BY timestamp`,1e4,e.signal);if(t.length<2)return null;let n=_n({label:"The host",times:t.
map(s=>s.at),text:s=>s==null?"\u2013":`${Math.round(s)} %`,timeText:E,height:160,series:[{name:"CPU",values:t.map(s=>s.cpu_pct)},{name:"Memory",values:t.map(s=>s.
mem_pct)}]});return{chart:n,card:U("The host",n)}}async function xd(e,t){let n=await pe("get_devices",Fe(),t.signal),s=bc(t);e.append(U("Devices",n.devices.length?
X({caption:"Devices",rows:n.devices,columns:[{head:"Device",text:o=>o.name??"?"},{head:"Driver",text:o=>o.driver??"\u2013"},{head:"UUID",text:o=>o.uuid??"\u2013"},
{head:"PCI address",text:o=>o.pci_address??"\u2013"}]}):fe("No device was seen."),n.known?null:fe("The recording has no readings: the legacy agent made it."),be(
n)));let l=o=>`${o.uuid??o.pci_address}|${o.name}|${o.part}`,r=n.readings.find(o=>l(o)===F.chosen.reading),a=null;if(r){let o=await wc(t,`SELECT timestamp - ${t.
origin} AS at, value FROM device_samples WHERE uuid IS ${Qt(r.uuid)} AND pci_address IS ${Qt(r.pci_address)}
      AND name = ${Qt(r.name)} AND part = ${Qt(r.part)} AND ${Go()} ORDER BY timestamp`);a=_n({label:r.name,times:o.times,series:[{name:r.name,values:o.values}],
text:Zt,timeText:E}),e.append(U(r.name.replaceAll("_"," "),a))}return n.readings.length&&e.append(U("Readings",X({caption:"Readings; choose one to see it over t\
ime",rows:n.readings,key:l,chosen:F.chosen.reading??null,choose:o=>Ie({reading:l(o)},!1),columns:[{head:"Reading",text:o=>`${o.name.replaceAll("_"," ")}${o.part?
` (${o.part})`:""}`,sort:o=>o.name},{head:"Device",text:o=>o.uuid??o.pci_address??"?",sort:o=>o.uuid},{head:"Last",number:!0,text:o=>o.last===null?"\u2013":Zt(o.
last)},{head:"Least",number:!0,text:o=>Zt(o.min)},{head:"Average",number:!0,text:o=>Zt(o.avg)},{head:"Most",number:!0,text:o=>Zt(o.max)},{head:"Samples",number:!0,
text:o=>O(o.samples)}]}))),n.processes.length&&e.append(U("Memory by process",X({caption:"Memory by process",rows:n.processes,columns:[{head:"Process",text:o=>o.
pid},{head:"Device",text:o=>o.device},{head:"Memory",number:!0,text:o=>Oe(o.memory_bytes)}]}))),n.errors.length&&e.append(U("Errors of drivers",X({caption:"Erro\
rs of drivers",rows:n.errors,columns:[{head:"Kind",text:o=>`${o.kind} ${o.code??""}`},{head:"Meaning",text:o=>o.meaning??""},{head:"Process",text:o=>o.process??
""},{head:"Message",text:o=>o.message}]}))),Yo(a,await s,e)}var xc={name:"fabric",title:"Fabric",draw:bd},_c={name:"devices",title:"Devices",draw:xd};var yc=.5,vc=4,Sl=class{constructor(t,n){this.context=t,this.onNews=n,this.tracks=[],this.views=new Map,this.cut=[],this.notes=[],this.abort=null}text(t){return Ot(
this.context.origin+BigInt(Math.round(t)))}async want(t,n,s,l){let r=n-t,a={from:Math.max(-1e9,t-yc*r),to:n+yc*r},o=s.filter(p=>{let g=this.views.get(p);return!g||
g.asked.from>t||g.asked.to<n?!0:g.bins.length>0&&g.asked.to-g.asked.from>3*r});if(this.tracks.length&&o.length===0||this.abort)return;let u=new AbortController;
this.abort=u;let f=await pe("get_timeline",{from:this.text(a.from),to:this.text(a.to),bins:Math.min(1e3,Math.max(50,Math.round(l))),...s.length?{lanes:s.slice(0,
48)}:{}},u.signal).finally(()=>{this.abort=null});this.take(f,a),this.onNews()}take(t,n){this.tracks=t.lanes,this.cut=t.cut.filter(l=>!l.includes("`")),this.notes=
t.notes??[];let s=t.from?Number(Ce(t.from)-this.context.origin):0;for(let l of t.views){let r=new Set(l.failed);this.views.set(l.lane,{asked:n,from:s,binNs:l.bins.
length?t.bin_ns:0,bins:l.bins,ops:t.ops,slices:l.start_ns.map((a,o)=>({start:s+a,duration:l.duration_ns[o],op:t.ops[l.op[o]],depth:l.depth[o],seq:l.seq[o],failed:r.
has(l.seq[o])}))})}}kinds(){let t=new Set;for(let n of this.views.values()){for(let s of n.slices)t.add(s.op.kind);for(let s=0;s<n.bins.length;s+=vc)t.add(n.ops[n.
bins[s+vc-1]].kind)}return[...t].sort()}hasFailed(){return[...this.views.values()].some(t=>t.slices.some(n=>n.failed))}forget(){this.views.clear()}};var kc=100,an=(e,t,n)=>Math.min(n,Math.max(t,e));function Ko(e){return e.group==="thread"?`thread ${e.tid}`:e.group==="stream"?e.stream===0?"default stream":`st\
ream ${BigInt(e.stream).toString(16)}`:e.group==="rank"?e.rank===null?`rank unknown (pid ${e.pid})`:`rank ${e.rank}${e.nranks?` of ${e.nranks}`:""}`:e.op}var jo=e=>`${e.
process||"?"} ${e.pid}${e.node?` on ${e.node}`:""}`;function _d(e,t){let n=[];t.length&&n.push({title:"Causes",chains:t});let s=null;for(let l of e){let r=l.group===
"rank"?"Collectives by rank":jo(l);r!==s&&n.push({heading:r}),s=r,n.push({track:l,title:Ko(l)})}return n}var Jo=class{constructor(t,n){this.context=n,this.data=
new Sl(n,()=>{this.arrange(),this.schedule()}),this.chains=[],this.lines=[],this.top=0,this.frames=[],this.canvas=m("canvas",{tabindex:"0",role:"application",id:"\
tracks","aria-roledescription":"timeline","aria-label":"Timeline. Arrow keys move, plus and minus zoom, comma and period choose calls; ? lists the keys.","aria-\
describedby":"chosen-call"}),this.detail=m("div",{id:"chosen-call","aria-live":"polite"}),this.scroller=m("div",{class:"tracks"},this.canvas),this.where=m("span",
{class:"quiet"});let s=(l,r,a)=>m("button",{onclick:r,title:a?`${l} (${a})`:l},l);this.cutList=m("div"),this.legend=m("ul",{class:"legend","aria-label":"Colours"}),
t.append(m("section",{class:"card"},m("h2",{},"Timeline"),m("div",{class:"bar"},s("Closer",()=>this.zoom(.5),"+"),s("Farther",()=>this.zoom(2),"\u2212"),s("Earl\
ier",()=>this.pan(-.3),"\u2190"),s("Later",()=>this.pan(.3),"\u2192"),s("Whole",()=>this.whole(),"0"),this.where),this.scroller,this.legend,this.cutList),U("The\
 chosen call",this.detail)),this.listen()}drawLegend(){let t=this.data.kinds();this.legend.replaceChildren(...t.map(n=>m("li",{},m("i",{class:`kind ${n}`}),n)),
...this.chains.length?[m("li",{},m("i",{class:"kind chain"}),"cause")]:[],...this.data.hasFailed()?[m("li",{},m("i",{class:"kind failed"}),"failed")]:[])}async start(){
let{context:t}=this,n=(o,u)=>o&&Ce(o)!==null?Number(Ce(o)-t.origin):u,s=Math.max(t.spanNs,1e3);this.from=n(F.from,-.01*s),this.to=Math.max(this.from+kc,n(F.to,1.01*
s)),this.track=F.chosen.lane??null,this.chosen=F.chosen.call?Number(F.chosen.call):null;let l=await pe("get_causal_chains",{top_n:-1},t.signal),r=new Map((l.clocks??
[]).map(o=>[o.node,o.offset_ns??0])),a=(o,u)=>Number(Ce(u)-t.origin)-(r.get(o.node)??0);this.chains=l.chains.filter(o=>o.onset&&Ce(o.onset)!==null).map(o=>({...o,
from:a(o,o.onset),to:o.end?a(o,o.end):t.spanNs})),await this.data.want(this.from,this.to,[],800),this.cutList.replaceChildren(be(this.data)??"",...this.data.notes.
map(o=>m("p",{class:"quiet",id:"order-note"},`${o[0].toUpperCase()}${o.slice(1)}.`))),this.chosen!==null?await this.describe():F.chosen.chain?this.describeChain(
this.chains.find(o=>o.id===F.chosen.chain)):this.detail.replaceChildren(m("p",{class:"quiet"},"None. Click one, or press comma or period on the timeline."))}arrange(){
this.lines=_d(this.data.tracks,this.chains),this.drawLegend()}resize(){let t=this.scroller.clientWidth;if(!t)return;this.left=t<600?88:190,this.height=an(St+this.
lines.length*Pe+6,160,Math.max(260,innerHeight-330));let n=devicePixelRatio||1;this.canvas.width=Math.round(t*n),this.canvas.height=Math.round(this.height*n),this.
canvas.style.height=`${this.height}px`,this.width=t-this.left,this.ratio=n,this.schedule()}schedule(){this.due||this.closed||(this.due=requestAnimationFrame(()=>{
this.due=0,this.draw()}))}draw(){if(!this.width)return;if(an(St+this.lines.length*Pe+6,160,Math.max(260,innerHeight-330))!==this.height)return this.resize();let n=performance.
now(),s=this.canvas.getContext("2d");s.setTransform(this.ratio,0,0,this.ratio,0,0),s.fillStyle=ve("card"),s.fillRect(0,0,this.left+this.width,this.height);let l={
from:this.from,to:this.to,left:this.left,width:this.width,height:this.height,track:this.track,chosen:this.chosen,chain:F.chosen.chain};this.top=an(this.top,0,Math.
max(0,this.lines.length*Pe-(this.height-St))),Fa(s,l),s.save(),s.beginPath(),s.rect(0,St,this.left+this.width,this.height-St),s.clip();let r=this.seen();s.save(),
Ba(s,r,this.data.views,l),s.restore(),this.drawTitles(s,r),s.restore(),this.where.textContent=`${E(this.to-this.from)} from ${E(Math.max(0,this.from))} on`,this.
frames.push(performance.now()-n),this.frames.length>2e3&&this.frames.splice(0,1e3),this.canvas.frames=this.frames,this.ask()}seen(){let t=Math.floor(this.top/Pe);
return this.lines.slice(t,t+Math.ceil((this.height-St)/Pe)+1).map((n,s)=>({line:n,y:St+(t+s)*Pe-this.top}))}drawTitles(t,n){t.textBaseline="middle";let s=this.left<
120;for(let{line:l,y:r}of n){t.font=`${l.heading?"600 ":""}${s?11:12}px system-ui, sans-serif`;let a=l.heading??l.title,o=l.heading?t.measureText(a).width+8:this.
left;t.fillStyle=l.track&&l.track.lane===this.track?ve("chosen"):ve("card"),t.fillRect(0,r,o,Pe),t.fillStyle=l.heading?ve("ink"):ve("quiet");let u=l.heading||s?
2:12;l.heading?t.fillText(a,u,r+Pe/2):t.fillText(a,u,r+Pe/2,this.left-u-4)}}ask(){this.asking||(this.asking=setTimeout(async()=>{this.asking=0;let t=this.seen().
map(({line:n})=>n.track?.lane).filter(Boolean).slice(0,48);if(t.length)try{await this.data.want(this.from,this.to,t,this.width)}catch(n){n.name!=="AbortError"&&
this.context.say(n.message)}},60))}move(t,n){let s=Math.max(this.context.spanNs,1e3),l=an(n-t,kc,1.5*s),r=an((t+n)/2,-.2*s,1.2*s);this.from=r-l/2,this.to=r+l/2,
this.schedule(),clearTimeout(this.noting),this.noting=setTimeout(()=>{mn({from:this.data.text(this.from),to:this.data.text(this.to),chosen:this.selection()},!0),
this.context.header()},250)}selection(){return{lane:this.track,call:this.chosen,chain:F.chosen.chain}}zoom(t,n=.5){let s=this.to-this.from,l=this.from+n*s;this.
move(l-n*s*t,l+(1-n)*s*t)}pan(t){let n=t*(this.to-this.from);this.move(this.from+n,this.to+n)}whole(){let t=Math.max(this.context.spanNs,1e3);this.move(-.01*t,1.01*
t)}chooseTrack(t){let n=this.lines.map((o,u)=>({line:o,i:u})).filter(({line:o})=>o.track);if(!n.length)return;let s=n.findIndex(({line:o})=>o.track.lane===this.
track),l=n[an(s<0?0:s+t,0,n.length-1)];this.track=l.line.track.lane;let r=l.i*Pe,a=this.height-St-Pe;this.top=an(this.top,r-a,r),this.context.say(`${Ko(l.line.track)}\
, ${jo(l.line.track)}, ${O(l.line.track.events)} events`),Ie(this.selection()),this.schedule()}chooseCall(t){this.track||this.chooseTrack(0);let n=this.data.views.
get(this.track)?.slices??[];if(!n.length){this.context.say(this.data.views.get(this.track)?.bins.length?"Too many calls to choose one here: zoom closer.":"No ca\
ll here.");return}let s=n.findIndex(r=>r.seq===this.chosen),l=s>=0?s+t:Math.max(0,n.findIndex(r=>r.start>=this.from));this.take(n[an(l,0,n.length-1)])}take(t){if(this.
chosen=t?.seq??null,t&&(t.start>this.to||t.start+(t.duration??0)<this.from)){let n=(this.to-this.from)/2;this.move(t.start-n,t.start+n)}Ie({...this.selection(),
chain:null}),this.schedule(),this.describe()}async describe(){let t=this.chosen;if(t!==null)try{let[n]=await Ze(`SELECT op_name, call, kind, layer, comm, pid, t\
id, duration, outcome, ret_code, failed, bytes, direction, stream, kernel, gpu_id,
        library, parent_call, preempted_ns, runqueue_ns, blocked_ns, io_ns, culprit_comm, culprit_pid, culprit_ns FROM events WHERE seq = ${Number(t)}`,1);if(t!==
this.chosen||!n)return;let s=[["preempted",n.preempted_ns],["waiting for a CPU",n.runqueue_ns],["blocked",n.blocked_ns],["on I/O",n.io_ns]];this.detail.replaceChildren(
m("h3",{},n.op_name),mt([["Took",E(n.duration)],["Call",n.call],["Process",`${n.comm??"?"} ${n.pid}`],["Thread",n.tid],["Outcome",n.failed?`${n.outcome}, failed\
 (${n.ret_code})`:n.outcome],["Bytes",n.bytes===null?null:Oe(n.bytes)],["Direction",n.direction],["Stream",n.stream===null?null:`0x${BigInt.asUintN(64,BigInt(n.
stream)).toString(16)}`],["Kernel",n.kernel],["Device",n.gpu_id],["Library",n.library],["Made inside",n.parent_call],["Off the CPU",s.filter(([,l])=>l).map(([l,
r])=>`${E(r)} ${l}`).join(", ")],["Meanwhile ran",n.culprit_comm?`${n.culprit_comm} ${n.culprit_pid}, ${E(n.culprit_ns)}`:null]]))}catch(n){n.name!=="AbortError"&&
this.context.say(n.message)}}describeChain(t){t&&this.detail.replaceChildren(m("h3",{},`${t.severity}: ${t.summary}`),m("p",{},t.root_cause),m("p",{class:"quiet"},
`from ${Rn(t.onset)} to ${Rn(t.end)}`))}at(t){let n=this.canvas.getBoundingClientRect(),[s,l]=[t.clientX-n.left,t.clientY-n.top],r=an((s-this.left)/this.width,0,
1);return{x:s,y:l,part:r,time:this.from+r*(this.to-this.from),line:this.lines[Math.floor((l-St+this.top)/Pe)]}}click(t){let{line:n,time:s}=this.at(t);if(n?.chains){
let a=4*(this.to-this.from)/this.width,o=n.chains.find(u=>u.from-a<=s&&s<=u.to+a);o&&(this.chosen=null,Ie({...this.selection(),chain:o.id}),this.describeChain(o),
this.schedule());return}if(!n?.track)return;this.track=n.track.lane;let l=3*(this.to-this.from)/this.width,r=null;for(let a of this.data.views.get(this.track)?.
slices??[]){if(a.start-l>s)break;a.start+(a.duration??1/0)+l>=s&&(!r||a.depth>=r.depth)&&(r=a)}r?this.take(r):(Ie(this.selection()),this.context.say(`${Ko(n.track)}\
, ${jo(n.track)}`),this.schedule())}listen(){let{canvas:t}=this;t.addEventListener("wheel",s=>{s.preventDefault(),s.ctrlKey||s.metaKey?this.zoom(Math.exp(s.deltaY/
300),this.at(s).part):s.shiftKey||Math.abs(s.deltaX)>Math.abs(s.deltaY)?this.pan((s.deltaX||s.deltaY)/this.width):this.lines.length*Pe>this.height-St?(this.top+=
s.deltaY,this.schedule()):scrollBy(0,s.deltaY)},{passive:!1});let n=null;t.addEventListener("pointerdown",s=>{n={x:s.clientX,y:s.clientY,from:this.from,to:this.
to,top:this.top,moved:!1},t.setPointerCapture(s.pointerId)}),t.addEventListener("pointermove",s=>{if(!n)return;let[l,r]=[s.clientX-n.x,s.clientY-n.y];if(!n.moved&&
Math.hypot(l,r)<4)return;n.moved=!0;let a=-(l/this.width)*(n.to-n.from);this.top=n.top-r,this.move(n.from+a,n.to+a)}),t.addEventListener("pointerup",s=>{n&&!n.moved&&
this.click(s),n=null}),t.addEventListener("pointercancel",()=>{n=null}),t.addEventListener("keydown",s=>this.key(s)),this.observer=new ResizeObserver(()=>this.resize()),
this.observer.observe(this.scroller),this.scheme=matchMedia("(prefers-color-scheme: dark)"),this.onScheme=()=>{Wo(),this.schedule()},this.scheme.addEventListener(
"change",this.onScheme)}key(t){if(t.altKey||t.metaKey)return;let n=()=>(this.data.views.get(this.track)?.slices??[]).find(l=>l.seq===this.chosen),s={ArrowLeft:()=>this.
pan(t.shiftKey?-.5:-.1),ArrowRight:()=>this.pan(t.shiftKey?.5:.1),ArrowUp:()=>t.ctrlKey?this.zoom(.7):this.chooseTrack(-1),ArrowDown:()=>t.ctrlKey?this.zoom(1.4):
this.chooseTrack(1),"+":()=>this.zoom(.6),"=":()=>this.zoom(.6),"-":()=>this.zoom(1.6),",":()=>this.chooseCall(-1),".":()=>this.chooseCall(1),0:()=>this.whole(),
Home:()=>this.move(0,this.to-this.from),End:()=>this.move(this.context.spanNs-(this.to-this.from),this.context.spanNs),Enter:()=>{let l=n();l&&this.move(l.start-
.2*Math.max(l.duration??0,1e3),l.start+1.2*Math.max(l.duration??0,1e3))}};s[t.key]&&(t.preventDefault(),t.stopPropagation(),s[t.key]())}close(){this.closed=!0,cancelAnimationFrame(
this.due),clearTimeout(this.asking),clearTimeout(this.noting),this.data.abort?.abort(),this.observer.disconnect(),this.scheme.removeEventListener("change",this.
onScheme)}},ft=null;async function yd(e,t){Wo();let n=new Jo(e,t);try{await n.start()}catch(s){throw n.close(),s}return n.arrange(),ft=n,()=>n.close()}async function vd(e){
if(!ft||ft.closed)return;let t=ft.to>=ft.context.spanNs;if(ft.context.spanNs=e.spanNs,ft.data.forget(),!F.from&&!F.to)ft.from=-.01*e.spanNs,ft.to=1.01*e.spanNs;else if(t&&
ft.to<e.spanNs){let n=ft.to-ft.from;ft.from=e.spanNs-n,ft.to=e.spanNs+.01*n}ft.schedule()}var Sc={name:"timeline",title:"Timeline",draw:yd,refresh:vd};var Ps=[gc,Za,Sc,fi,ja,ci,Ya,xc,_c,hi],kd=2e3,Qe=document.getElementById("main"),Is=document.getElementById("notice"),Sd=document.getElementById("status"),Xe={info:null,
origin:0n,spanNs:0,say:e=>{Sd.textContent=e},header:()=>Fn()},Et=null,El=!0,Ed=new Qs(Ps,()=>{El=!El,Fn()}),Fn=()=>Ed.draw(Xe,El),Ws=()=>Ps.find(e=>e.name===F.view)??
Ps[0],Ec=(e,t)=>e.file===t.file&&e.schema===t.schema&&e.legacy===t.legacy;async function Md(){let e=await pe("get_trace_stats"),{file:t,live:n,earlier_agent:s,schema:l}=e.
recording,r=Xe.info;return Xe.info={file:t,live:n,legacy:s,schema:l,first:e.first,last:e.last,events:e.events},Xe.origin=Ce(e.first)??0n,Xe.spanNs=e.last?Number(
Ce(e.last)-Xe.origin):0,!r||Ec(r,Xe.info)&&(r.first??e.first)===e.first}Pr(e=>{let{info:t}=Xe;if(!(!t||Ec(t,{...e,legacy:e.earlier_agent})&&(t.live||!e.live)))throw $d(),
new DOMException("the server has another recording now","AbortError")});function Ml(){Et?.abort.abort(),Et?.close?.(),Et=null}function $d(){Ml(),Xe.info=null,Fn(),
Fs(Ws()),Xo()}function Fs(e){Is.hidden=!0,Xe.say(""),Qe.replaceChildren(jr(e.title)),Qe.setAttribute("aria-busy","true"),so()}async function Mc(e=!1){let t=Ws(),
n=Et,s={view:t,part:`${F.from} ${F.to}`,abort:new AbortController},l=n!==null&&n.view===t&&(e||n.part===s.part);n?.abort.abort(),l||Ml(),Et=s,Fn(),l?e||(Qe.setAttribute(
"aria-busy","true"),so()):Fs(t);let r=m("div",{class:`view ${t.name}`,id:"view",role:"tabpanel","aria-labelledby":`tab-${t.name}`}),a=()=>{Et===s&&!l&&Qe.replaceChildren(
r)};try{if(s.close=await t.draw(r,{...Xe,signal:s.abort.signal,show:a}),Et!==s){s.close?.();return}Is.hidden=!0}catch(o){if(Et!==s||o.name==="AbortError")return;
if(o instanceof Lt&&o.status===401)return er(o.message);r.replaceChildren(),Qo(o)}l&&n.close?.(),l&&!Qe.contains(r)?Zr(Qe.firstElementChild,r):Qe.contains(r)||Qe.
replaceChildren(r),Qe.removeAttribute("aria-busy"),Xs()}function Qo(e){Is.textContent=e instanceof Lt?e.message:`This page failed: ${e.message}`,Is.hidden=!1,e instanceof
Lt||console.error(e)}var Td=()=>Qe.hasAttribute("aria-busy")||Qe.querySelector(":active, input:focus, select:focus")!==null,Zo=0;async function Xo(){let e=++Zo,
t=!Xe.info||Xe.info.live&&El&&!document.hidden;try{if(t){let n=!Xe.info,s=await Md();if(e!==Zo)return;Is.hidden=!0,s||Ml(),Et?.view.refresh&&!n?(Fn(),await Et.view.
refresh(Xe)):(!Et||!Td())&&await Mc(Et!==null)}}catch(n){if(n.name==="AbortError")return;if(n.status===401)return er(n.message);Xe.info||(Qe.replaceChildren(),Qe.
removeAttribute("aria-busy"),Xs()),Qo(n)}setTimeout(()=>e===Zo&&Xo(),kd)}async function er(e){Ml(),Xe.info=null,Fs(Ws());try{(e!==void 0||await Wr())&&(Qe.removeAttribute(
"aria-busy"),Xs(),await Fr(Qe,e??""),document.activeElement?.blur(),Fs(Ws()))}catch(t){Qo(t)}Xo()}addEventListener("keydown",e=>qr(e,Ps,Et?.view));document.getElementById(
"skip").addEventListener("click",e=>{e.preventDefault(),Qe.focus()});zr(()=>{if(Xe.info)return Mc().then(()=>{document.activeElement===document.body&&Qe.focus({
preventScroll:!0})});Fn(),Qe.hasAttribute("aria-busy")&&Fs(Ws())});Hr();Vr(Ps);Fn();er();
