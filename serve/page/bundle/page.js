// Made by serve/page/build.mjs from serve/page/source/: change those.
function m(e,t={},...n){let s=document.createElement(e);for(let[l,o]of Object.entries(t))o==null||o===!1||(l.startsWith("on")?s.addEventListener(l.slice(2),o):s.
setAttribute(l,o===!0?"":String(o)));for(let l of n.flat(2))l==null||l===!1||s.append(l instanceof Node?l:document.createTextNode(String(l)));return s}var ks="\u2013",
Js=e=>e!=null;function Ri(e){let t=Math.abs(e);return t>=100?e.toFixed(0):t>=10?e.toFixed(1):e.toFixed(2)}var su=[["s",1e9],["ms",1e6],["\xB5s",1e3]];function E(e){
if(!Js(e))return ks;let t=Math.abs(e);if(t===0)return"0";if(t>=36e11)return`${(e/36e11).toFixed(1)} h`;if(t>=12e10)return`${(e/6e10).toFixed(1)} min`;for(let[n,
s]of su)if(t>=s)return`${Ri(e/s)} ${n}`;return`${Math.round(e)} ns`}function Le(e){if(!Js(e))return ks;for(let[t,n]of[["TB",1e12],["GB",1e9],["MB",1e6],["kB",1e3]])
if(Math.abs(e)>=n)return`${Ri(e/n)} ${t}`;return`${e} B`}function L(e){return Js(e)?Number(e).toLocaleString("en"):ks}function Zt(e){for(let[t,n]of[["T",1e12],[
"G",1e9],["M",1e6],["k",1e3]])if(Math.abs(e)>=n)return`${+(e/n).toPrecision(3)}${t}`;return String(+e.toPrecision(3))}function ln(e){return Js(e)&&Number.isFinite(
e)?`${(100*e).toFixed(e<.1?1:0)} %`:ks}function Me(e){let t=/^(.*?)(?:\.(\d{1,9}))?Z$/.exec(e??""),n=t?Date.parse(`${t[1]}Z`):NaN;return Number.isNaN(n)?null:BigInt(
n)*1000000n+BigInt((t[2]??"").padEnd(9,"0"))}function Lt(e){let t=e/1000000000n;return`${new Date(Number(t)*1e3).toISOString().slice(0,19)}.${String(e-t*1000000000n).
padStart(9,"0")}Z`}function Rn(e){return e?e.slice(11,23).replace("Z",""):ks}var Es="ingero-token",Ot=class extends Error{constructor(t,n,s){super(s),this.status=t,this.word=n}},lu=/"(?:[^"\\]|\\.)*"|(?<![\d.])-?\d{16,}(?![\d.eE])/g,ou=e=>JSON.
parse(e.replace(lu,t=>t[0]==='"'||Number.isSafeInteger(Number(t))?t:`"${t}"`));async function Li(e,t,n,s){let l=sessionStorage.getItem(Es),o=l?{Authorization:`B\
earer ${l}`}:{};n!==void 0&&(o["Content-Type"]="application/json");let a;try{a=await fetch(t,{method:e,headers:o,body:n,signal:s,credentials:"omit",cache:"no-st\
ore"})}catch(u){throw u.name==="AbortError"?u:new Ot(0,"gone","the server does not answer")}let i;try{i=ou(await a.text())}catch(u){if(u.name==="AbortError")throw u;
if(a.ok)throw new Ot(a.status,"internal",`the server's answer cannot be read: ${u.message}`);i={error:`status ${a.status}`,class:"internal"}}if(!a.ok)throw new Ot(
a.status,i.class,i.error);return i}var iu={get_trace_stats:"the figures of all calls",get_time_spent:"where the time went",get_causal_chains:"the causes",get_calls_in_flight:"\
calls that have not returned",get_distributions:"distributions",get_timeline:"the timeline",get_stacks:"stacks",get_memory:"memory by call site",find_outlier_nodes:"\
the clusters",run_analysis:"who is late, and why",effects:"ranks by time",get_collectives:"collectives",get_inference:"steps of inference",get_fabric:"counters \
of the fabric",get_devices:"readings of devices"},Jl=new Set,Zl=[],Oi=()=>{},Ni=e=>Zl.push(e),Di=()=>[...new Set([...Jl].map(e=>e.about))],Pi=e=>{Oi=e};async function pe(e,t={},n=void 0){
let s={about:iu[e]??"rows"};Jl.add(s);for(let l of Zl)l();try{let l=await Li("POST",`/api/v1/tools/${e}`,JSON.stringify(t),n);return n?.throwIfAborted(),l.recording&&
Oi(l.recording),l}finally{Jl.delete(s);for(let l of Zl)l()}}var Ii=e=>Li("GET",e);async function Ze(e,t=1e3,n=void 0){let s=await pe("run_sql",{query:e,limit:t},
n);return s.data.map(l=>Object.fromEntries(l.map((o,a)=>[s.columns[a],o])))}async function Wi(){let{asks_token:e}=await Ii("/page.json");return e&&!sessionStorage.
getItem(Es)}function Fi(e,t,n="the recording"){return sessionStorage.removeItem(Es),new Promise(s=>{let l=m("input",{id:"token",type:"password",autocomplete:"of\
f",spellcheck:"false",required:!0}),o=m("p",{role:"alert"},t),a=m("form",{class:"card login"},m("h2",{},"Token"),m("p",{},`The server was started with a token, \
and shows ${n} to those who have it. It is kept in this tab only.`),m("label",{for:"token"},"Bearer token"),l,m("button",{type:"submit"},"Open"),o);a.addEventListener(
"submit",async i=>{i.preventDefault(),sessionStorage.setItem(Es,l.value);try{await Ii("/api/v1/health"),s()}catch(u){sessionStorage.removeItem(Es),o.textContent=
u.status===401?"That is not the token.":u.message,l.select()}}),e.replaceChildren(a),l.focus()})}var F={view:"overview",from:null,to:null,chosen:{}},Bi=[],zi=e=>Bi.push(e);function Ql(){let[e,t=""]=location.hash.replace(/^#\/?/,"").split("?"),n=new URLSearchParams(
t);F.view=e||"overview",F.from=n.get("from"),F.to=n.get("to"),n.delete("from"),n.delete("to"),F.chosen=Object.fromEntries(n)}function lt({view:e=F.view,from:t=F.
from,to:n=F.to,chosen:s={}}={}){let l=new URLSearchParams;t&&l.set("from",t),n&&l.set("to",n);for(let[a,i]of Object.entries(s))i!=null&&l.set(a,i);let o=l.toString();
return`#/${e}${o?`?${o}`:""}`}function mn(e,t=!1){let n=lt(e);if(n!==location.hash){if(!t){location.hash=n;return}history.replaceState(null,"",n),Ql()}}var Ie=(e,t=!0)=>mn(
{chosen:{...F.chosen,...e}},t),Fe=()=>({...F.from&&{from:F.from},...F.to&&{to:F.to}}),Qt=e=>e==null?"NULL":`'${String(e).replaceAll("'","''")}'`;function Xt(e,t){
let n=[];return F.from&&n.push(`${e} >= ${t(F.from)}`),F.to&&n.push(`${e} <= ${t(F.to)}`),n.length?n.join(" AND "):"1"}function Vi(){Ql(),addEventListener("hash\
change",()=>{Ql();for(let e of Bi)e()})}var eo=e=>(e+1).toString(36),ru=[["1 to 9, a","the views, in their order"],["0","the whole recording"],["?","this list"],["Escape","closes it"]],au=[["\u2190 \u2192",
"earlier, later"],["+ \u2212","closer, farther (also \u2191 \u2193 with Ctrl, or the wheel with Ctrl)"],["\u2191 \u2193","the lane above, below"],[", .","the pr\
evious, the next call of the lane"],["Enter","as close as the chosen call"],["Home End","the beginning, the end"]],cu=[["\u2190 \u2192","the column before, the \
next"],["Page Up, Page Down","a tenth of them earlier, later"],["Home End","the first, the last"]],Zs=document.getElementById("keys"),Xl=(e,t)=>[m("h3",{},e),m(
"dl",{class:"keys"},t.map(([n,s])=>m("div",{},m("dt",{},m("kbd",{},n)),m("dd",{},s))))];function Hi(){Zs.replaceChildren(m("h2",{id:"keys-title"},"Keys"),...Xl(
"Everywhere",ru),...Xl("On the timeline",au),...Xl("On steps and ranks",cu),m("button",{onclick:()=>Zs.close()},"Close"))}var uu=e=>e instanceof HTMLElement&&(e.
isContentEditable||/^(INPUT|SELECT|TEXTAREA)$/.test(e.tagName));function qi(e,t){if(e.ctrlKey||e.metaKey||e.altKey||uu(e.target)||Zs.open)return;let n=t.findIndex(
(s,l)=>eo(l)===e.key);if(e.key==="?")Zs.showModal();else if(e.key==="0")mn({from:null,to:null});else if(n>=0)mn({view:t[n].name});else return;e.preventDefault()}var Ui={ArrowRight:1,ArrowDown:1,ArrowLeft:-1,ArrowUp:-1};function fu(e){let t=e.map((s,l)=>m("a",{role:"tab",id:`tab-${s.name}`,"aria-controls":"view","aria-ke\
yshortcuts":eo(l)},s.title)),n=m("div",{role:"tablist",class:"tabs","aria-label":"Views"},t);return n.addEventListener("keydown",s=>{let l=t.indexOf(s.target);if(l<
0||s.ctrlKey||s.metaKey||s.altKey)return;let o={Home:0,End:t.length-1};if(s.key===" ")t[l].click();else if(s.key in Ui)t[(l+Ui[s.key]+t.length)%t.length].focus();else if(s.
key in o)t[o[s.key]].focus();else return;s.preventDefault()}),{links:t,list:n}}var Qs=class{constructor(t,n){this.views=t,this.text=m("span"),this.follow=m("but\
ton",{id:"follow",onclick:n}),this.part=m("span"),this.whole=m("button",{id:"whole",onclick:()=>mn({from:null,to:null,chosen:F.chosen})},"Whole recording");let{
links:s,list:l}=fu(t);this.links=s,document.getElementById("recording").append(this.text," ",this.follow),document.getElementById("views").append(l),document.getElementById(
"part").append(this.part," ",this.whole)}draw({info:t,origin:n,spanNs:s},l){let o=this.views.find(v=>v.name===F.view)??this.views[0];if(document.title=[o.title,
t?.file,"ingero"].filter(Boolean).join(" \u2013 "),this.links.forEach((v,M)=>{let $=this.views[M]===o;v.href=lt({view:this.views[M].name}),v.setAttribute("aria-\
selected",String($)),v.tabIndex=$?0:-1}),this.follow.hidden=!t?.live,this.whole.hidden=!F.from&&!F.to,!t){this.text.textContent="",this.part.textContent="";return}
let{file:a,legacy:i,first:u,events:f}=t,p=[a,`${L(f)} events`,u?`${E(s)} from ${u.slice(0,10)} ${Rn(u)} UTC`:"no event yet"];if(i&&p.push("made by the legacy ag\
ent"),this.text.textContent=p.join(" \xB7 "),this.follow.textContent=l?"Live: following":"Live: paused",this.follow.setAttribute("aria-pressed",String(l)),this.
whole.hidden){this.part.textContent="Whole recording";return}let g=(v,M)=>v?Number((Me(v)??n)-n):M,[x,y]=[g(F.from,0),g(F.to,s)];this.part.textContent=`Part: ${E(
Math.max(0,y-x))}, from ${E(x)} on`}};var no=document.getElementById("progress"),Yi=m("span"),Gi=m("span",{"aria-hidden":"true"});no.replaceChildren(Yi,Gi);var Ms=null,Ki=0;function to(){if(Ms===null)
return;let e=Di();Yi.textContent=`Loading ${e.length?e.join(", "):"the view"}`;let t=Math.floor((performance.now()-Ms)/1e3);Gi.textContent=t?` \u2026 ${t} s`:" \
\u2026"}Ni(to);function so(){Ms===null&&(Ki=setInterval(to,1e3)),Ms=performance.now(),no.hidden=!1,to()}function Xs(){Ms=null,clearInterval(Ki),no.hidden=!0}var lo=(e=3)=>m(
"div",{class:"waiting","aria-hidden":"true"},Array.from({length:e},()=>m("i"))),ji=e=>m("div",{class:"view outline"},m("section",{class:"card"},m("h2",{},e),lo(
6)));var Ji="a,button,input,select,summary,[tabindex]",el=e=>`${e.tagName} ${e.id} ${e.getAttribute("aria-label")??e.textContent}`;function Zi(e,t){let n=document.activeElement,
[s,l]=e.contains(n)?[[...e.querySelectorAll(Ji)].indexOf(n),el(n)]:[-1,""],o=[scrollX,scrollY],a=new Set([...e.querySelectorAll("details[open] > summary")].map(
el));e.replaceWith(t);for(let u of t.querySelectorAll("details > summary"))a.has(el(u))&&(u.parentNode.open=!0);let i=[...t.querySelectorAll(Ji)];s>=0&&(i.find(
u=>el(u)===l)??i[s])?.focus({preventScroll:!0}),scrollTo(...o)}var hu="http://www.w3.org/2000/svg";function De(e,t={},...n){let s=document.createElementNS(hu,e);for(let[l,o]of Object.entries(t))o!=null&&s.setAttribute(l,String(
o));for(let l of n.flat())l&&s.append(l instanceof Node?l:document.createTextNode(String(l)));return s}function Qi(e){let t=10**Math.floor(Math.log10(e));return[
1,2,5,10].find(n=>n*t>=e)*t}function tl(e,t,n){let s=[],l=-1/0;for(let{x:o,at:a}of e){let i=E(Math.max(0,a));o<l||o+6*i.length>n||(s.push(De("text",{class:"axis",
x:o,y:t},i)),l=o+7*i.length+24)}return De("g",{"aria-hidden":"true"},s)}function nl({id:e,label:t,items:n,chosen:s=null,draw:l,onChoose:o}){let a=De("svg",{role:"\
presentation",width:"100%"}),i=m("div",{class:"picture",id:e,role:"listbox",tabindex:0,"aria-label":t,"aria-orientation":"horizontal"},a),u=[],f=[],p=n.findIndex(
M=>String(M.id)===String(s)),g=0;function x(){f.forEach((M,$)=>M.setAttribute("aria-selected",String($===p))),p>=0&&f[p]&&i.setAttribute("aria-activedescendant",
f[p].id)}function y(){let M=l(g);u=M.slots,a.setAttribute("height",M.height),a.setAttribute("viewBox",`0 0 ${g} ${M.height}`),f=n.map(($,C)=>De("g",{role:"optio\
n",id:`${e}-${C}`,"aria-label":$.label},De("title",{},$.label),De("rect",{class:"slot",x:u[C].x,y:0,width:u[C].width,height:M.height}),M.shapes[C])),a.replaceChildren(
...M.behind,...f,...M.before),x()}i.choose=M=>{p=Math.min(n.length-1,Math.max(0,M)),x(),o(n[p])},i.chosen=()=>p,i.addEventListener("click",M=>{let $=M.clientX-a.
getBoundingClientRect().left,C=-1,w=1/0;u.forEach((T,k)=>{let K=Math.abs(T.x+T.width/2-$);K<w&&([C,w]=[k,K])}),C>=0&&i.choose(C)}),i.addEventListener("keydown",
M=>{if(M.altKey||M.metaKey||M.ctrlKey)return;let $=Math.max(1,Math.round(n.length/10)),C={ArrowLeft:p-1,ArrowRight:p+1,ArrowUp:p-1,ArrowDown:p+1,PageUp:p-$,PageDown:p+
$,Home:0,End:n.length-1}[M.key];C!==void 0&&(M.preventDefault(),i.choose(C))});let v=new ResizeObserver(()=>{!i.clientWidth||i.clientWidth===g||(g=i.clientWidth,
y())});return v.observe(i),i.close=()=>v.disconnect(),i}var Xi=e=>String(BigInt.asIntN(64,BigInt(e)));async function er(e,t,{origin:n,signal:s}){let l=Xt("timestamp",u=>String(Me(u))),o=await Ze(`WITH a AS (SELECT *,\
 ntile(${t}) OVER (ORDER BY timestamp) AS part FROM collective_arrivals WHERE comm_id_hash = ${Xi(e)} AND ${l}),
    w AS (SELECT *, row_number() OVER (PARTITION BY part ORDER BY skew_ns DESC) AS place, count(*) OVER () AS entered FROM a)
    SELECT session, seq, call, ranks, nranks, skew_ns, late_ns, last_rank, last_pid, timestamp - ${n} AS at, entered FROM w WHERE place = 1 ORDER BY timestamp`,
1e3,s);if(!o.length)return[];let a=new Map(o.map(u=>[`${u.session} ${u.seq}`,{...u,id:`${u.session}-${u.seq}`,entries:[]}])),i=await Ze(`SELECT session, seq, ra\
nk, pid, start_mono_ns - min(start_mono_ns) OVER (PARTITION BY session, seq) AS late_ns FROM collectives WHERE comm_id_hash = ${Xi(e)} AND seq IN (${o.map(u=>Number(
u.seq)).join()})
    ORDER BY late_ns`,1e4,s);for(let u of i){let f=a.get(`${u.session} ${u.seq}`);f&&f.entries.push({rank:u.rank,pid:u.pid,late_ns:u.late_ns})}return[...a.values()]}
var gn=({rank:e,pid:t})=>e==null?`pid ${t}`:`rank ${e}`;var du=22,$s=4,pu=1e5;function tr(e){let t=new Map;for(let s of e)for(let l of s.entries)t.set(gn(l),l);let n=[...t].sort(([,s],[,l])=>(s.rank??1e9)-(l.rank??1e9)||
s.pid-l.pid).map(([s])=>s);return new Map(n.map((s,l)=>[s,l]))}var oo=e=>e.reduce((t,n)=>Math.max(t,n.skew_ns),pu);function nr(e,t,n){let s=t.size>64?8:t.size>16?
14:24,l=n<500?54:70,o=$s+s*t.size+du,a=Math.min(32,(n-l-2)/e.length),i=oo(e),u=Math.ceil(14/s),f=[...t].filter(([,y])=>y%u===0).map(([y,v])=>De("text",{class:"a\
xis",x:l-6,y:$s+(v+.5)*s+4,"text-anchor":"end"},y)),p=e.map((y,v)=>({x:l+v*a,width:a})),g=e.map((y,v)=>{let M=new Set,$={x:(p[v].x+.5).toFixed(2),width:Math.max(
1,a-1).toFixed(2),height:s-2},C=y.entries.map(T=>{let k=t.get(gn(T));return M.add(k),De("rect",{...$,class:"late",y:$s+k*s+1,"fill-opacity":(.06+.94*Math.min(1,
T.late_ns/i)).toFixed(3)})});for(let T of t.values())M.has(T)||C.push(De("rect",{...$,class:"absent",y:$s+T*s+1}));let w=t.get(gn({rank:y.last_rank,pid:y.last_pid}));
return w!==void 0&&C.push(De("circle",{class:"last",cx:(p[v].x+a/2).toFixed(2),cy:$s+(w+.5)*s,r:Math.max(1.2,Math.min(4,a/3,s/4)).toFixed(2)})),C}),x=tl(p.map((y,v)=>({
x:y.x,at:e[v].at})),o-6,n);return{height:o,slots:p,shapes:g,behind:[De("g",{"aria-hidden":"true"},f)],before:[x]}}var sr=new Map,mu=(e,t)=>`${e} ${t}${e===1?"":"s"}`;function gu(e,t,n){let s=m("div",{class:"table",role:"group","aria-label":e},t,n),l=m("button",{class:"hint",
hidden:!0},"More columns"),o=[...t.querySelectorAll("thead th")],a=()=>{let f=s.clientWidth;if(!f)return;let p=s.scrollWidth>f+1,g=p?o.filter(y=>y.offsetLeft+y.
offsetWidth>s.scrollLeft+f+1):[],x=g.length;s.classList.toggle("is-wide",p),i.classList.toggle("is-cut",x>0),p?s.tabIndex=0:s.removeAttribute("tabindex"),l.hidden=
!p,l.textContent=x?`${mu(x,"more column")} \u2192`:"\u2190 to the first column",l.onclick=()=>{let y=x?g[0].offsetLeft-o[0].offsetWidth:0;s.scrollLeft=x&&y<=s.scrollLeft?
s.scrollLeft+f/2:y}},i=m("div",{class:"frame"},l,s);s.addEventListener("scroll",a,{passive:!0});let u=new ResizeObserver(a);return u.observe(s),u.observe(t),i}function X({
caption:e,columns:t,rows:n,sorted:s=null,choose:l=null,key:o=null,chosen:a=null,most:i=200}){let u=sr.get(e)??{by:s,down:!0};sr.set(e,u);let f=m("tbody"),p=m("p",
{class:"quiet"});function g(){let v=t[u.by],M=n;v?.sort&&(M=[...n].sort(($,C)=>{let[w,T]=[v.sort($),v.sort(C)],k=w===T?0:w==null?-1:T==null?1:w<T?-1:1;return u.
down?-k:k})),f.replaceChildren(...M.slice(0,i).map($=>{let C=m("tr",{"aria-selected":o&&a!==null?String(o($))===String(a):void 0});return t.forEach((w,T)=>{let k=w.
node?w.node($):w.text($);C.append(m(T===0?"th":"td",{scope:T===0?"row":void 0,class:w.number?"number":void 0},T===0&&l?m("button",{class:"plain",onclick:()=>l($)},
k):k))}),C})),p.textContent=n.length>i?`${i} of ${n.length} rows are shown.`:"",x.forEach(($,C)=>$.setAttribute("aria-sort",C!==u.by?"none":u.down?"descending":
"ascending"))}let x=t.map((v,M)=>m("th",{scope:"col",class:v.number?"number":void 0,title:v.title},v.sort?m("button",{class:"plain",onclick:()=>{u.down=u.by===M?
!u.down:!0,u.by=M,g()}},v.head):v.head)),y=m("table",{},m("caption",{},e),m("thead",{},m("tr",{},x)),f);return g(),gu(e,y,p)}function mt(e){return m("dl",{class:"\
facts"},e.filter(([,t])=>t!=null&&t!=="").map(([t,n])=>m("div",{},m("dt",{},t),m("dd",{},n))))}var U=(e,...t)=>m("section",{class:"card"},m("h2",{},e),...t),fe=e=>m(
"p",{class:"quiet"},e),be=e=>e?.cut?.length?m("ul",{class:"cut"},e.cut.map(t=>m("li",{},t))):null;var wu=120,bu=10,lr=1e6,sl=e=>gn({rank:e.last_rank,pid:e.last_pid}),xu=e=>`${e.call} number ${e.seq}: ${sl(e)} came last, ${E(e.skew_ns)} after the first`;function ir(e){
let[t]=[...e.last].sort((s,l)=>l.times-s.times);if(!t||!e.rounds)return null;let n=gn(t);return`${n[0].toUpperCase()}${n.slice(1)} came last most often: in ${L(
t.times)} of ${L(e.rounds)} collectives, at most ${E(t.max_skew_ns)} after the first.`}function or(e,t,n){let[s,l]=[t.at-lr,t.at+t.skew_ns+lr].map(o=>Lt(n.origin+
BigInt(Math.round(o))));e.replaceChildren(m("h3",{},`${t.call} number ${L(t.seq)}`),m("p",{},`${sl(t)} came last: ${E(t.skew_ns)} after the first, ${E(t.late_ns)}\
 after the one before it.`),X({caption:"Who came when",rows:t.entries,columns:[{head:"Rank",text:gn,sort:o=>o.rank},{head:"Process",number:!0,text:o=>o.pid,sort:o=>o.
pid},{head:"After the first",number:!0,text:o=>E(o.late_ns),sort:o=>o.late_ns},{head:"Waited for the last",number:!0,text:o=>E(t.skew_ns-o.late_ns),sort:o=>t.skew_ns-
o.late_ns}]}),m("p",{},m("a",{href:lt({view:"timeline",from:s,to:l})},"Show it on the timeline")))}var _u=(e,t)=>X({caption:"Collectives of the picture; choose \
one",rows:e.map((n,s)=>({...n,i:s})),most:300,choose:n=>t(n.i),columns:[{head:"Collective",text:n=>`${n.call} ${L(n.seq)}`,sort:n=>n.at},{head:"At",number:!0,text:n=>E(
n.at),sort:n=>n.at},{head:"Came last",text:sl,sort:sl},{head:"After the first",number:!0,text:n=>E(n.skew_ns),sort:n=>n.skew_ns},{head:"After the one before",number:!0,
text:n=>E(n.late_ns),sort:n=>n.late_ns},{head:"Ranks seen",number:!0,text:n=>L(n.ranks),sort:n=>n.ranks}]});async function rr(e,t,n){if(e.comm_id_hash===null||!e.
rounds)return null;let s=Math.max(20,Math.min(wu,Math.floor((Math.min(innerWidth,1600)-130)/bu))),l=(await er(e.comm_id_hash,s,n)).map(y=>({...y,label:xu(y)}));
if(!l.length)return null;let o=tr(l),a=y=>`${t}-${y}`,i=m("div",{"aria-live":"polite"}),u=nl({id:`ranks-${t}`,items:l,chosen:l.find(y=>a(y.id)===F.chosen.collective)?.
id??null,label:"Ranks by time: who came late to each collective. Arrow keys choose one.",draw:y=>nr(l,o,y),onChoose:y=>{Ie({collective:a(y.id)},!0),or(i,y,n)}}),
f=y=>u.choose(u.chosen()<0?0:u.chosen()+y);u.chosen()>=0?or(i,l[u.chosen()],n):i.append(m("p",{class:"quiet"},"Choose a collective in the picture: click it, or \
use the arrow keys."));let{entered:p}=l[0],g=l.some(y=>y.entries.length<o.size);return{element:m("div",{},m("div",{class:"bar"},m("button",{onclick:()=>f(-1),title:"\
The column before (\u2190)"},"Earlier"),m("button",{onclick:()=>f(1),title:"The next column (\u2192)"},"Later"),m("span",{class:"quiet"},p>l.length?`of ${L(p)} \
collectives ${L(l.length)}: of each part the one whose ranks came most apart`:`${L(p)} collectives`)),u,m("ul",{class:"legend","aria-label":"Colours"},m("li",{},
m("i",{class:"kind scale"}),`from in time to ${E(oo(l))} after the first`),m("li",{},m("i",{class:"kind last"}),"came last"),g?m("li",{},m("i",{class:"kind abse\
nt"}),"not seen in it"):null),i,m("details",{},m("summary",{},"The picture as a table"),_u(l,y=>{u.choose(y),u.focus()}))),close:()=>u.close()}}var ar=e=>e===null?"made before the recording":BigInt(e).toString(16),yu=8;async function vu(e,t){let n=await pe("get_collectives",Fe(),t.signal);if(!n.communicators.
length)return e.append(U("Collectives",fe("No collective was called in this part."),be(n))),()=>{};let s=[];for(let[l,o]of n.communicators.entries()){let a=l<yu?
await rr(o,l,t):null;a&&s.push(a);let i=ir(o);e.append(U(`Communicator ${ar(o.comm_id_hash)}`,i?m("p",{},i):null,a?.element,mt([["Ranks",o.nranks],["Ranks seen \
here",L(o.ranks_seen)],["Collectives that several entered",L(o.rounds)],["First to last, at most",o.max_skew_ns===null?null:E(o.max_skew_ns)]]),o.hangs.length?m(
"ul",{class:"cut"},o.hangs.map(u=>m("li",{},`${u.call} number ${u.number}: ranks ${u.missing} missing while ${u.present} waited ${E(u.waited_ns)}${u.is_over?"":
", still"}`))):null,X({caption:"Calls",rows:o.ops,columns:[{head:"Call",text:u=>u.call},{head:"Calls",number:!0,text:u=>L(u.calls)},{head:"Bytes",number:!0,text:u=>Le(
u.bytes)},{head:"Average wait",number:!0,text:u=>E(u.average_wait_ns)},{head:"Longest wait",number:!0,text:u=>E(u.max_wait_ns)}]}),o.last.length?X({caption:"Who\
 came last",rows:o.last,columns:[{head:"Came last",text:u=>u.rank===null?`pid ${u.pid}`:`rank ${u.rank}`},{head:"Times",number:!0,text:u=>L(u.times)},{head:"Aft\
er the first, at most",number:!0,text:u=>E(u.max_skew_ns)},{head:"After the one before",number:!0,text:u=>E(u.late_ns)}]}):null))}return e.append(U("By rank",X(
{caption:"By rank",rows:n.ranks,columns:[{head:"Rank",text:l=>l.rank===null?`pid ${l.pid}`:l.rank,sort:l=>l.rank},{head:"Communicator",text:l=>ar(l.comm_id_hash)},
{head:"Calls",number:!0,text:l=>L(l.calls),sort:l=>l.calls},{head:"Bytes",number:!0,text:l=>Le(l.bytes),sort:l=>l.bytes},{head:"Average wait",number:!0,text:l=>E(
l.average_wait_ns),sort:l=>l.average_wait_ns},{head:"Longest wait",number:!0,text:l=>E(l.max_wait_ns),sort:l=>l.max_wait_ns},{head:"Last number",number:!0,text:l=>L(
l.last_number),sort:l=>l.last_number}]}),be(n))),()=>{for(let l of s)l.close()}}var cr={name:"collectives",title:"Collectives",draw:vu};function Su(e){let t={name:"all",ns:0,n:0,children:new Map};for(let n of e){if(!n.frames?.length)continue;t.ns+=n.total_ns??0,t.n+=n.n;let s=t;for(let l of[...n.
frames].reverse())s.children.has(l)||s.children.set(l,{name:l,ns:0,n:0,children:new Map}),s=s.children.get(l),s.ns+=n.total_ns??0,s.n+=n.n}return t}function ku(e,t){
let n=e;for(let s of t)if(n=n.children.get(s),!n)return null;return n}var Eu=e=>e.children.size===0?"leaf":/\.py\b|\[Python\]/.test(e.name)?"python":"native";function ur(e,t,n,s,l=0){
if(l>60)return null;let o=[...e.children.values()].sort((a,i)=>i.ns-a.ns).filter(a=>a.ns/t.ns>.002);return m("ul",{class:"icicle"},o.map(a=>{let i=m("li",{},m("\
button",{class:`box ${Eu(a)}`,title:`${a.name}: ${E(a.ns)}, ${ln(a.ns/t.ns)}, ${L(a.n)} calls`,onclick:()=>s([...n,a.name])},a.name),ur(a,t,[...n,a.name],s,l+1));
return i.style.flexGrow=String(a.ns),i.style.width=`${100*a.ns/e.ns}%`,i}))}async function Mu(e,t){let n=await pe("get_stacks",{...Fe(),limit:100,...F.chosen.op&&
{op:F.chosen.op}},t.signal),s=n.stacks.filter(p=>p.frames?.length),l=Su(s),o=[];try{o=JSON.parse(F.chosen.path??"[]")}catch{o=[]}let a=Array.isArray(o)?ku(l,o.map(
String))??l:l;a===l&&(o=[]);let i=p=>Ie({path:p.length?JSON.stringify(p):null},!1),u=[...new Set(n.stacks.map(p=>p.op))].sort(),f=m("select",{id:"op"},m("option",
{value:""},"all calls"),u.map(p=>m("option",{value:p,selected:p===F.chosen.op},p)));F.chosen.op&&!u.includes(F.chosen.op)&&f.append(m("option",{value:F.chosen.op,
selected:!0},F.chosen.op)),f.addEventListener("change",()=>Ie({op:f.value||null,path:null},!1)),e.append(m("section",{class:"card"},m("h2",{},"Where calls were \
made"),m("div",{class:"bar"},m("label",{for:"op"},"Of"),f,o.length?m("button",{onclick:()=>i([])},"All of it"):null,o.length?m("button",{onclick:()=>i(o.slice(0,
-1))},"One frame out"):null),s.length?m("div",{},o.length?m("p",{},o.at(-1)):null,m("p",{class:"quiet"},`${E(a.ns)} in ${L(a.n)} calls; a frame is as wide as it\
s share, the calls stand at the bottom.`),m("div",{class:"flames",role:"group","aria-label":"Flame graph"},ur(a,a,o,i))):fe("This part has no stacks: not every \
call has one (trace --stack), and recordings of the legacy agent may have none."),be(n))),n.stacks.length&&e.append(U("Stacks",X({caption:"Stacks by time",rows:n.
stacks,sorted:2,columns:[{head:"Call",text:p=>p.op,sort:p=>p.op},{head:"Calls",number:!0,text:p=>L(p.n),sort:p=>p.n},{head:"Time",number:!0,text:p=>E(p.total_ns),
sort:p=>p.total_ns},{head:"Longest",number:!0,text:p=>E(p.max_us===null?null:p.max_us*1e3),sort:p=>p.max_us},{head:"Innermost frames",text:p=>(p.frames??[]).slice(
0,3).join(" < ")||"not known"}]})))}var fr={name:"flame",title:"Flame graph",draw:Mu};function $u(e){let t=e.flatMap(n=>n.rows.filter(s=>s.state!=="resolved").map(s=>({...s,library:n.library})));return m("div",{},X({caption:"Rows by library of th\
is machine",rows:e,columns:[{head:"Library",text:n=>n.path},{head:"Version",text:n=>n.version??""},{head:"Processes",number:!0,text:n=>L(n.pids.length)},{head:"\
Resolved",number:!0,text:n=>L(n.resolved)},{head:"Absent",number:!0,text:n=>L(n.absent)},{head:"Refused",number:!0,text:n=>L(n.refused)},{head:"Single-stepped",
number:!0,text:n=>L(n.single_stepped)}]}),t.length?m("details",{},m("summary",{},`${L(t.length)} rows are absent or refused`),X({caption:"Absent and refused row\
s",rows:t,columns:[{head:"Call",text:n=>n.call},{head:"Library",text:n=>n.library},{head:"State",text:n=>n.state},{head:"Why",text:n=>[n.reason,n.remedy].filter(
Boolean).join("; ")}]})):null)}async function Tu(e,{info:t,signal:n}){let[s,l,o]=await Promise.all([pe("get_trace_stats",{},n),Ze("SELECT id, (CASE WHEN stopped\
_at > 0 THEN stopped_at - started_at END) AS lasted_ns, kernel, os_release, cpu_model, cpu_cores, gpu_model, gpu_driver, flags, pid_filter, node, ingero_ver FRO\
M sessions ORDER BY id",50,n),t.legacy?Promise.resolve(null):Ze("SELECT backend, library, library_version, count(*) AS rows, count(DISTINCT name) AS calls FROM \
sites GROUP BY 1, 2, 3 ORDER BY rows DESC",200,n)]),a=s.recording.not_ended,i=a?s.recording.lost_at_least??[]:s.lost;a&&e.append(U("No proper end",m("p",{},a),m(
"p",{},"What was lost is not known. Below is what was counted until then."))),e.append(U("What was lost",i===null?fe("Not known: the legacy agent kept no accoun\
t of it."):i.length===0?fe(a?"Nothing until then.":"Nothing."):X({caption:"Losses",rows:i,sorted:1,columns:[{head:"What",text:f=>f.sentence},{head:"Count",number:!0,
text:f=>L(f.count),sort:f=>f.count},{head:"Severity",node:f=>m("span",{class:`severity ${f.severity==="info"?"low":"medium"}`},f.severity),sort:f=>f.severity},{
head:"Name",text:f=>f.name}]}))),e.append(U("Rows in use, by library",o===null?fe("Not known: the legacy agent did not store it."):o.length===0?fe("No call of a\
 library was captured."):X({caption:"Libraries",rows:o,columns:[{head:"Library",text:f=>f.library??"the kernel"},{head:"Version",text:f=>f.library_version??""},
{head:"Backend",text:f=>f.backend},{head:"Calls",number:!0,text:f=>L(f.calls)},{head:"Spellings",number:!0,text:f=>L(f.rows)}]}),m("p",{class:"quiet"},"Rows tha\
t saw at least one call. Which rows can be attached at all, the check below says for the machine that serves this page."))),e.append(U("Runs of the agent",X({caption:"\
Runs",rows:l,columns:[{head:"Run",text:f=>`${f.id}${f.node?` on ${f.node}`:""}`},{head:"Lasted",number:!0,text:f=>f.lasted_ns===null?t.live?"running":"killed":E(
f.lasted_ns)},{head:"Flags",text:f=>f.flags??""},{head:"Processes",text:f=>f.pid_filter||"all"},{head:"Kernel",text:f=>f.kernel??""},{head:"CPU",text:f=>`${f.cpu_model??
""}${f.cpu_cores?`, ${f.cpu_cores}`:""}`},{head:"Device",text:f=>f.gpu_model??""},{head:"Version",text:f=>f.ingero_ver??""}]}),mt([["Events",L(s.events)],["Rows\
 pruned to keep the file small",s.rows_pruned?L(s.rows_pruned):"none"]]),be(s)));let u=m("div",{},m("button",{id:"check",onclick:async()=>{u.replaceChildren(m("\
p",{class:"quiet"},"Looking\u2026"));try{let f=await pe("get_check");u.replaceChildren(m("p",{},`This machine is ${f.status}.`),$u(f.libraries),X({caption:"Chec\
ks of this machine",rows:f.checks,columns:[{head:"Check",text:p=>p.name},{head:"Verdict",text:p=>p.pass===null?"could not tell":p.pass?"passed":p.optional?"miss\
ing, not needed":"failed"},{head:"What was found",text:p=>[p.value,p.detail,p.recommendation].filter(Boolean).join("; ")}]}))}catch(f){u.replaceChildren(m("p",{
role:"alert"},f.message))}}},"Check this machine"));e.append(U("The machine that serves this page",u))}var hr={name:"health",title:"Capture",draw:Tu};var Au="uplot",Cu="u-hz",Ru="u-vt",Lu="u-title",Ou="u-wrap",Nu="u-under",Du="u-over",Pu="u-axis",Nn="u-off",Iu="u-select",Wu="u-cursor-x",Fu="u-cursor-y",Bu="u-\
cursor-pt",zu="u-legend",Vu="u-live",Hu="u-inline",qu="u-series",Uu="u-marker",dr="u-label",Yu="u-value",As="width",Cs="height";var pr="bottom",os="left",io="right",ko="#000",mr=ko+"0",ro="mousemove",gr="mousedown",ao="mouseup",wr="mouseenter",br="mouseleave",xr="dblclick",Gu="resize",Ku="\
scroll",_r="change",al="dppxchange",Eo="--",hs=typeof window<"u",po=hs?document:null,rs=hs?window:null,ju=hs?navigator:null,he,ll;function mo(){let e=devicePixelRatio;
he!=e&&(he=e,ll&&wo(_r,ll,mo),ll=matchMedia(`(min-resolution: ${he-.001}dppx) and (max-resolution: ${he+.001}dppx)`),Dn(_r,ll,mo),rs.dispatchEvent(new CustomEvent(
al)))}function yt(e,t){if(t!=null){let n=e.classList;!n.contains(t)&&n.add(t)}}function go(e,t){let n=e.classList;n.contains(t)&&n.remove(t)}function $e(e,t,n){
e.style[t]=n+"px"}function zt(e,t,n,s){let l=po.createElement(e);return t!=null&&yt(l,t),n?.insertBefore(l,s),l}function Nt(e,t){return zt("div",e,t)}var yr=new WeakMap;
function en(e,t,n,s,l){let o="translate("+t+"px,"+n+"px)",a=yr.get(e);o!=a&&(e.style.transform=o,yr.set(e,o),t<0||n<0||t>s||n>l?yt(e,Nn):go(e,Nn))}var vr=new WeakMap;
function Sr(e,t,n){let s=t+n,l=vr.get(e);s!=l&&(vr.set(e,s),e.style.background=t,e.style.borderColor=n)}var kr=new WeakMap;function Er(e,t,n,s){let l=t+""+n,o=kr.
get(e);l!=o&&(kr.set(e,l),e.style.height=n+"px",e.style.width=t+"px",e.style.marginLeft=s?-t/2+"px":0,e.style.marginTop=s?-n/2+"px":0)}var Mo={passive:!0},Ju={...Mo,
capture:!0};function Dn(e,t,n,s){t.addEventListener(e,n,s?Ju:Mo)}function wo(e,t,n,s){t.removeEventListener(e,n,Mo)}hs&&mo();function Vt(e,t,n,s){let l;n=n||0,s=
s||t.length-1;let o=s<=2147483647;for(;s-n>1;)l=o?n+s>>1:vt((n+s)/2),t[l]<e?n=l:s=l;return e-t[n]<=t[s]-e?n:s}function Xr(e){return(n,s,l)=>{let o=-1,a=-1;for(let i=s;i<=
l;i++)if(e(n[i])){o=i;break}for(let i=l;i>=s;i--)if(e(n[i])){a=i;break}return[o,a]}}var ea=e=>e!=null,ta=e=>e!=null&&e>0,fl=Xr(ea),Zu=Xr(ta);function Qu(e,t,n,s=0,l=!1){
let o=l?Zu:fl,a=l?ta:ea;[t,n]=o(e,t,n);let i=e[t],u=e[t];if(t>-1)if(s==1)i=e[t],u=e[n];else if(s==-1)i=e[n],u=e[t];else for(let f=t;f<=n;f++){let p=e[f];a(p)&&(p<
i?i=p:p>u&&(u=p))}return[i??xe,u??-xe]}function hl(e,t,n,s){let l=Tr(e),o=Tr(t);e==t&&(l==-1?(e*=n,t/=n):(e/=n,t*=n));let a=n==10?on:na,i=l==1?vt:Dt,u=o==1?Dt:vt,
f=i(a(qe(e))),p=u(a(qe(t))),g=as(n,f),x=as(n,p);return n==10&&(f<0&&(g=_e(g,-f)),p<0&&(x=_e(x,-p))),s||n==2?(e=g*l,t=x*o):(e=ia(e,g),t=dl(t,x)),[e,t]}function $o(e,t,n,s){
let l=hl(e,t,n,s);return e==0&&(l[0]=0),t==0&&(l[1]=0),l}var To=.1,Mr={mode:3,pad:To},Ls={pad:0,soft:null,mode:0},Xu={min:Ls,max:Ls};function cl(e,t,n,s){return pl(
n)?$r(e,t,n):(Ls.pad=n,Ls.soft=s?0:null,Ls.mode=s?3:0,$r(e,t,Xu))}function ce(e,t){return e??t}function ef(e,t,n){for(t=ce(t,0),n=ce(n,e.length-1);t<=n;){if(e[t]!=
null)return!0;t++}return!1}function $r(e,t,n){let s=n.min,l=n.max,o=ce(s.pad,0),a=ce(l.pad,0),i=ce(s.hard,-xe),u=ce(l.hard,xe),f=ce(s.soft,xe),p=ce(l.soft,-xe),
g=ce(s.mode,0),x=ce(l.mode,0),y=t-e,v=on(y),M=ut(qe(e),qe(t)),$=on(M),C=qe($-v);(y<1e-24||C>10)&&(y=0,(e==0||t==0)&&(y=1e-24,g==2&&f!=xe&&(o=0),x==2&&p!=-xe&&(a=
0)));let w=y||M||1e3,T=on(w),k=as(10,vt(T)),K=w*(y==0?e==0?.1:1:o),N=_e(ia(e-K,k/10),24),Z=e>=f&&(g==1||g==3&&N<=f||g==2&&N>=f)?f:xe,G=ut(i,N<Z&&e>=Z?Z:Ht(Z,N)),
ee=w*(y==0?t==0?.1:1:a),Q=_e(dl(t+ee,k/10),24),O=t<=p&&(x==1||x==3&&Q>=p||x==2&&Q<=p)?p:-xe,ne=Ht(u,Q>O&&t<=O?O:ut(O,Q));return G==ne&&G==0&&(ne=100),[G,ne]}var tf=new Intl.
NumberFormat(hs?ju.language:"en-US"),Ao=e=>tf.format(e),St=Math,rl=St.PI,qe=St.abs,vt=St.floor,He=St.round,Dt=St.ceil,Ht=St.min,ut=St.max,as=St.pow,Tr=St.sign,on=St.
log10,na=St.log2,nf=(e,t=1)=>St.sinh(e)*t,co=(e,t=1)=>St.asinh(e/t),xe=1/0;function Ar(e){return(on((e^e>>31)-(e>>31))|0)+1}function bo(e,t,n){return Ht(ut(e,t),
n)}function sa(e){return typeof e=="function"}function oe(e){return sa(e)?e:()=>e}var sf=()=>{},la=e=>e,oa=(e,t)=>t,lf=e=>null,Cr=e=>!0,Rr=(e,t)=>e==t,of=/\.\d*?(?=9{6,}|0{6,})/gm,
Pn=e=>{if(aa(e)||bn.has(e))return e;let t=`${e}`,n=t.match(of);if(n==null)return e;let s=n[0].length-1;if(t.indexOf("e-")!=-1){let[l,o]=t.split("e");return+`${Pn(
l)}e${o}`}return _e(e,s)};function Ln(e,t){return Pn(_e(Pn(e/t))*t)}function dl(e,t){return Pn(Dt(Pn(e/t))*t)}function ia(e,t){return Pn(vt(Pn(e/t))*t)}function _e(e,t=0){
if(aa(e))return e;let n=10**t,s=e*n*(1+Number.EPSILON);return He(s)/n}var bn=new Map;function ra(e){return((""+e).split(".")[1]||"").length}function Ns(e,t,n,s){
let l=[],o=s.map(ra);for(let a=t;a<n;a++){let i=qe(a),u=_e(as(e,a),i);for(let f=0;f<s.length;f++){let p=e==10?+`${s[f]}e${a}`:s[f]*u,g=(a>=0?0:i)+(a>=o[f]?0:o[f]),
x=e==10?p:_e(p,g);l.push(x),bn.set(x,g)}}return l}var Os={},Co=[],cs=[null,null],wn=Array.isArray,aa=Number.isInteger,rf=e=>e===void 0;function Lr(e){return typeof e==
"string"}function pl(e){let t=!1;if(e!=null){let n=e.constructor;t=n==null||n==Object}return t}function af(e){return e!=null&&typeof e=="object"}var cf=Object.getPrototypeOf(
Uint8Array),ca="__proto__";function us(e,t=pl){let n;if(wn(e)){let s=e.find(l=>l!=null);if(wn(s)||t(s)){n=Array(e.length);for(let l=0;l<e.length;l++)n[l]=us(e[l],
t)}else n=e.slice()}else if(e instanceof cf)n=e.slice();else if(t(e)){n={};for(let s in e)s!=ca&&(n[s]=us(e[s],t))}else n=e;return n}function Be(e){let t=arguments;
for(let n=1;n<t.length;n++){let s=t[n];for(let l in s)l!=ca&&(pl(e[l])?Be(e[l],us(s[l])):e[l]=us(s[l]))}return e}var uf=0,ff=1,hf=2;function df(e,t,n){for(let s=0,
l,o=-1;s<t.length;s++){let a=t[s];if(a>o){for(l=a-1;l>=0&&e[l]==null;)e[l--]=null;for(l=a+1;l<n&&e[l]==null;)e[o=l++]=null}}}function pf(e,t){if(wf(e)){let a=e[0].
slice();for(let i=1;i<e.length;i++)a.push(...e[i].slice(1));return bf(a[0])||(a=gf(a)),a}let n=new Set;for(let a=0;a<e.length;a++){let u=e[a][0],f=u.length;for(let p=0;p<
f;p++)n.add(u[p])}let s=[Array.from(n).sort((a,i)=>a-i)],l=s[0].length,o=new Map;for(let a=0;a<l;a++)o.set(s[0][a],a);for(let a=0;a<e.length;a++){let i=e[a],u=i[0];
for(let f=1;f<i.length;f++){let p=i[f],g=Array(l).fill(void 0),x=t?t[a][f]:ff,y=[];for(let v=0;v<p.length;v++){let M=p[v],$=o.get(u[v]);M===null?x!=uf&&(g[$]=M,
x==hf&&y.push($)):g[$]=M}df(g,y,l),s.push(g)}}return s}var mf=typeof queueMicrotask>"u"?e=>Promise.resolve().then(e):queueMicrotask;function gf(e){let t=e[0],n=t.
length,s=Array(n);for(let o=0;o<s.length;o++)s[o]=o;s.sort((o,a)=>t[o]-t[a]);let l=[];for(let o=0;o<e.length;o++){let a=e[o],i=Array(n);for(let u=0;u<n;u++)i[u]=
a[s[u]];l.push(i)}return l}function wf(e){let t=e[0][0],n=t.length;for(let s=1;s<e.length;s++){let l=e[s][0];if(l.length!=n)return!1;if(l!=t){for(let o=0;o<n;o++)
if(l[o]!=t[o])return!1}}return!0}function bf(e,t=100){let n=e.length;if(n<=1)return!0;let s=0,l=n-1;for(;s<=l&&e[s]==null;)s++;for(;l>=s&&e[l]==null;)l--;if(l<=
s)return!0;let o=ut(1,vt((l-s+1)/t));for(let a=e[s],i=s+o;i<=l;i+=o){let u=e[i];if(u!=null){if(u<=a)return!1;a=u}}return!0}var ua=["January","February","March",
"April","May","June","July","August","September","October","November","December"],fa=["Sunday","Monday","Tuesday","Wednesday","Thursday","Friday","Saturday"];function ha(e){
return e.slice(0,3)}var xf=fa.map(ha),_f=ua.map(ha),yf={MMMM:ua,MMM:_f,WWWW:fa,WWW:xf};function Ts(e){return(e<10?"0":"")+e}function vf(e){return(e<10?"00":e<100?
"0":"")+e}var Sf={YYYY:e=>e.getFullYear(),YY:e=>(e.getFullYear()+"").slice(2),MMMM:(e,t)=>t.MMMM[e.getMonth()],MMM:(e,t)=>t.MMM[e.getMonth()],MM:e=>Ts(e.getMonth()+
1),M:e=>e.getMonth()+1,DD:e=>Ts(e.getDate()),D:e=>e.getDate(),WWWW:(e,t)=>t.WWWW[e.getDay()],WWW:(e,t)=>t.WWW[e.getDay()],HH:e=>Ts(e.getHours()),H:e=>e.getHours(),
h:e=>{let t=e.getHours();return t==0?12:t>12?t-12:t},AA:e=>e.getHours()>=12?"PM":"AM",aa:e=>e.getHours()>=12?"pm":"am",a:e=>e.getHours()>=12?"p":"a",mm:e=>Ts(e.
getMinutes()),m:e=>e.getMinutes(),ss:e=>Ts(e.getSeconds()),s:e=>e.getSeconds(),fff:e=>vf(e.getMilliseconds())};function Ro(e,t){t=t||yf;let n=[],s=/\{([a-z]+)\}|[^{]+/gi,
l;for(;l=s.exec(e);)n.push(l[0][0]=="{"?Sf[l[1]]:l[0]);return o=>{let a="";for(let i=0;i<n.length;i++)a+=typeof n[i]=="string"?n[i]:n[i](o,t);return a}}var kf=new Intl.
DateTimeFormat().resolvedOptions().timeZone;function Ef(e,t){let n;return t=="UTC"||t=="Etc/UTC"?n=new Date(+e+e.getTimezoneOffset()*6e4):t==kf?n=e:(n=new Date(
e.toLocaleString("en-US",{timeZone:t})),n.setMilliseconds(e.getMilliseconds())),n}var da=e=>e%1==0,ul=[1,2,2.5,5],Mf=Ns(10,-32,0,ul),pa=Ns(10,0,32,ul),$f=pa.filter(
da),On=Mf.concat(pa),Lo=`
`,ma="{YYYY}",Or=Lo+ma,ga="{M}/{D}",Rs=Lo+ga,ol=Rs+"/{YY}",wa="{aa}",Tf="{h}:{mm}",is=Tf+wa,Nr=Lo+is,Dr=":{ss}",me=null;function ba(e){let t=e*1e3,n=t*60,s=n*60,
l=s*24,o=l*30,a=l*365,u=(e==1?Ns(10,0,3,ul).filter(da):Ns(10,-3,0,ul)).concat([t,t*5,t*10,t*15,t*30,n,n*5,n*10,n*15,n*30,s,s*2,s*3,s*4,s*6,s*8,s*12,l,l*2,l*3,l*
4,l*5,l*6,l*7,l*8,l*9,l*10,l*15,o,o*2,o*3,o*4,o*6,a,a*2,a*5,a*10,a*25,a*50,a*100]),f=[[a,ma,me,me,me,me,me,me,1],[l*28,"{MMM}",Or,me,me,me,me,me,1],[l,ga,Or,me,
me,me,me,me,1],[s,"{h}"+wa,ol,me,Rs,me,me,me,1],[n,is,ol,me,Rs,me,me,me,1],[t,Dr,ol+" "+is,me,Rs+" "+is,me,Nr,me,1],[e,Dr+".{fff}",ol+" "+is,me,Rs+" "+is,me,Nr,
me,1]];function p(g){return(x,y,v,M,$,C)=>{let w=[],T=$>=a,k=$>=o&&$<a,K=g(v),N=_e(K*e,3),Z=uo(K.getFullYear(),T?0:K.getMonth(),k||T?1:K.getDate()),G=_e(Z*e,3);
if(k||T){let ee=k?$/o:0,Q=T?$/a:0,O=N==G?N:_e(uo(Z.getFullYear()+Q,Z.getMonth()+ee,1)*e,3),ne=new Date(He(O/e)),B=ne.getFullYear(),j=ne.getMonth();for(let q=0;O<=
M;q++){let ie=uo(B+Q*q,j+ee*q,1),H=ie-g(_e(ie*e,3));O=_e((+ie+H)*e,3),O<=M&&w.push(O)}}else{let ee=$>=l?l:$,Q=vt(v)-vt(N),O=G+Q+dl(N-G,ee);w.push(O);let ne=g(O),
B=ne.getHours()+ne.getMinutes()/n+ne.getSeconds()/s,j=$/s,q=x.axes[y]._space,ie=C/q;for(;O=_e(O+$,e==1?0:3),!(O>M);)if(j>1){let H=vt(_e(B+j,6))%24,re=g(O).getHours()-
H;re>1&&(re=-1),O-=re*s,B=(B+j)%24;let ge=w[w.length-1];_e((O-ge)/$,3)*ie>=.7&&w.push(O)}else w.push(O)}return w}}return[u,f,p]}var[Af,Cf,Rf]=ba(1),[Lf,Of,Nf]=ba(
.001);Ns(2,-53,53,[1]);function Pr(e,t){return e.map(n=>n.map((s,l)=>l==0||l==8||s==null?s:t(l==1||n[8]==0?s:n[1]+s)))}function Ir(e,t){return(n,s,l,o,a)=>{let i=t.
find(v=>a>=v[0])||t[t.length-1],u,f,p,g,x,y;return s.map(v=>{let M=e(v),$=M.getFullYear(),C=M.getMonth(),w=M.getDate(),T=M.getHours(),k=M.getMinutes(),K=M.getSeconds(),
N=$!=u&&i[2]||C!=f&&i[3]||w!=p&&i[4]||T!=g&&i[5]||k!=x&&i[6]||K!=y&&i[7]||i[1];return u=$,f=C,p=w,g=T,x=k,y=K,N(M)})}}function Df(e,t){let n=Ro(t);return(s,l,o,a,i)=>l.
map(u=>n(e(u)))}function uo(e,t,n){return new Date(e,t,n)}function Wr(e,t){return t(e)}var Pf="{YYYY}-{MM}-{DD} {h}:{mm}{aa}";function Fr(e,t){return(n,s,l,o)=>o==
null?Eo:t(e(s))}function If(e,t){let n=e.series[t];return n.width?n.stroke(e,t):n.points.width?n.points.stroke(e,t):null}function Wf(e,t){return e.series[t].fill(
e,t)}var Ff={show:!0,live:!0,isolate:!1,mount:sf,markers:{show:!0,width:2,stroke:If,fill:Wf,dash:"solid"},idx:null,idxs:null,values:[]};function Bf(e,t){let n=e.
cursor.points,s=Nt(),l=n.size(e,t);$e(s,As,l),$e(s,Cs,l);let o=l/-2;$e(s,"marginLeft",o),$e(s,"marginTop",o);let a=n.width(e,t,l);return a&&$e(s,"borderWidth",a),
s}function zf(e,t){let n=e.series[t].points;return n._fill||n._stroke}function Vf(e,t){let n=e.series[t].points;return n._stroke||n._fill}function Hf(e,t){return e.
series[t].points.size}var fo=[0,0];function qf(e,t,n){return fo[0]=t,fo[1]=n,fo}function il(e,t,n,s=!0){return l=>{l.button==0&&(!s||l.target==t)&&n(l)}}function ho(e,t,n,s=!0){
return l=>{(!s||l.target==t)&&n(l)}}var Uf={show:!0,x:!0,y:!0,lock:!1,move:qf,points:{one:!1,show:Bf,size:Hf,width:0,stroke:Vf,fill:zf},bind:{mousedown:il,mouseup:il,
click:il,dblclick:il,mousemove:ho,mouseleave:ho,mouseenter:ho},drag:{setScale:!0,x:!0,y:!1,dist:0,uni:null,click:(e,t)=>{t.stopPropagation(),t.stopImmediatePropagation()},
_x:!1,_y:!1},focus:{dist:(e,t,n,s,l)=>s-l,prox:-1,bias:0},hover:{skip:[void 0],prox:null,bias:0},left:-10,top:-10,idx:null,dataIdx:null,idxs:null,event:null},xa={
show:!0,stroke:"rgba(0,0,0,0.07)",width:2},Oo=Be({},xa,{filter:oa}),_a=Be({},Oo,{size:10}),ya=Be({},xa,{show:!1}),No='12px system-ui, -apple-system, "Segoe UI",\
 Roboto, "Helvetica Neue", Arial, "Noto Sans", sans-serif, "Apple Color Emoji", "Segoe UI Emoji", "Segoe UI Symbol", "Noto Color Emoji"',va="bold "+No,Sa=1.5,Br={
show:!0,scale:"x",stroke:ko,space:50,gap:5,alignTo:1,size:50,labelGap:0,labelSize:30,labelFont:va,side:2,grid:Oo,ticks:_a,border:ya,font:No,lineGap:Sa,rotate:0},
Yf="Value",Gf="Time",zr={show:!0,scale:"x",auto:!1,sorted:1,min:xe,max:-xe,idxs:[]};function Kf(e,t,n,s,l){return t.map(o=>o==null?"":Ao(o))}function jf(e,t,n,s,l,o,a){
let i=[],u=bn.get(l)||0;n=a?n:_e(dl(n,l),u);for(let f=n;f<=s;f=_e(f+l,u))i.push(Object.is(f,-0)?0:f);return i}function xo(e,t,n,s,l,o,a){let i=[],u=e.scales[e.axes[t].
scale].log,f=u==10?on:na,p=vt(f(n));l=as(u,p),u==10&&(l=On[Vt(l,On)]);let g=n,x=l*u;u==10&&(x=On[Vt(x,On)]);do i.push(g),g=g+l,u==10&&!bn.has(g)&&(g=_e(g,bn.get(
l))),g>=x&&(l=g,x=l*u,u==10&&(x=On[Vt(x,On)]));while(g<=s);return i}function Jf(e,t,n,s,l,o,a){let u=e.scales[e.axes[t].scale].asinh,f=s>u?xo(e,t,ut(u,n),s,l):[
u],p=s>=0&&n<=0?[0]:[];return(n<-u?xo(e,t,ut(u,-s),-n,l):[u]).reverse().map(x=>-x).concat(p,f)}var ka=/./,Zf=/[12357]/,Qf=/[125]/,Vr=/1/,_o=(e,t,n,s)=>e.map((l,o)=>t==
4&&l==0||o%s==0&&n.test(l.toExponential()[l<0?1:0])?l:null);function Xf(e,t,n,s,l){let o=e.axes[n],a=o.scale,i=e.scales[a],u=e.valToPos,f=o._space,p=u(10,a),g=u(
9,a)-p>=f?ka:u(7,a)-p>=f?Zf:u(5,a)-p>=f?Qf:Vr;if(g==Vr){let x=qe(u(1,a)-p);if(x<f)return _o(t.slice().reverse(),i.distr,g,Dt(f/x)).reverse()}return _o(t,i.distr,
g,1)}function eh(e,t,n,s,l){let o=e.axes[n],a=o.scale,i=o._space,u=e.valToPos,f=qe(u(1,a)-u(2,a));return f<i?_o(t.slice().reverse(),3,ka,Dt(i/f)).reverse():t}function th(e,t,n,s){
return s==null?Eo:t==null?"":Ao(t)}var Hr={show:!0,scale:"y",stroke:ko,space:30,gap:5,alignTo:1,size:50,labelGap:0,labelSize:30,labelFont:va,side:3,grid:Oo,ticks:_a,
border:ya,font:No,lineGap:Sa,rotate:0};function nh(e,t){let n=3+(e||1)*2;return _e(n*t,3)}function sh(e,t){let{scale:n,idxs:s}=e.series[0],l=e._data[0],o=e.valToPos(
l[s[0]],n,!0),a=e.valToPos(l[s[1]],n,!0),i=qe(a-o),u=e.series[t],f=i/(u.points.space*he);return s[1]-s[0]<=f}var qr={scale:null,auto:!0,sorted:0,min:xe,max:-xe},
Ea=(e,t,n,s,l)=>l,Ur={show:!0,auto:!0,sorted:0,gaps:Ea,alpha:1,facets:[Be({},qr,{scale:"x"}),Be({},qr,{scale:"y"})]},Yr={scale:"y",auto:!0,sorted:0,show:!0,spanGaps:!1,
gaps:Ea,alpha:1,points:{show:sh,filter:null},values:null,min:xe,max:-xe,idxs:[],path:null,clip:null};function lh(e,t,n,s,l){return n/10}var Ma={time:!0,auto:!0,
distr:1,log:10,asinh:1,min:null,max:null,dir:1,ori:0},oh=Be({},Ma,{time:!1,ori:1}),Gr={};function $a(e,t){let n=Gr[e];return n||(n={key:e,plots:[],sub(s){n.plots.
push(s)},unsub(s){n.plots=n.plots.filter(l=>l!=s)},pub(s,l,o,a,i,u,f){for(let p=0;p<n.plots.length;p++)n.plots[p]!=l&&n.plots[p].pub(s,l,o,a,i,u,f)}},e!=null&&(Gr[e]=
n)),n}var fs=1,yo=2;function In(e,t,n){let s=e.mode,l=e.series[t],o=s==2?e._data[t]:e._data,a=e.scales,i=e.bbox,u=o[0],f=s==2?o[1]:o[t],p=s==2?a[l.facets[0].scale]:
a[e.series[0].scale],g=s==2?a[l.facets[1].scale]:a[l.scale],x=i.left,y=i.top,v=i.width,M=i.height,$=e.valToPosH,C=e.valToPosV;return p.ori==0?n(l,u,f,p,g,$,C,x,
y,v,M,gl,ds,bl,Aa,Ra):n(l,u,f,p,g,C,$,y,x,M,v,wl,ps,Io,Ca,La)}function Do(e,t){let n=0,s=0,l=ce(e.bands,Co);for(let o=0;o<l.length;o++){let a=l[o];a.series[0]==
t?n=a.dir:a.series[1]==t&&(a.dir==1?s|=1:s|=2)}return[n,s==1?-1:s==2?1:s==3?2:0]}function ih(e,t,n,s,l){let o=e.mode,a=e.series[t],i=o==2?a.facets[1].scale:a.scale,
u=e.scales[i];return l==-1?u.min:l==1?u.max:u.distr==3?u.dir==1?u.min:u.max:0}function rn(e,t,n,s,l,o){return In(e,t,(a,i,u,f,p,g,x,y,v,M,$)=>{let C=a.pxRound,w=f.
dir*(f.ori==0?1:-1),T=f.ori==0?ds:ps,k,K;w==1?(k=n,K=s):(k=s,K=n);let N=C(g(i[k],f,M,y)),Z=C(x(u[k],p,$,v)),G=C(g(i[K],f,M,y)),ee=C(x(o==1?p.max:p.min,p,$,v)),Q=new Path2D(
l);return T(Q,G,ee),T(Q,N,ee),T(Q,N,Z),Q})}function ml(e,t,n,s,l,o){let a=null;if(e.length>0){a=new Path2D;let i=t==0?bl:Io,u=n;for(let g=0;g<e.length;g++){let x=e[g];
if(x[1]>x[0]){let y=x[0]-u;y>0&&i(a,u,s,y,s+o),u=x[1]}}let f=n+l-u,p=10;f>0&&i(a,u,s-p/2,f,s+o+p)}return a}function rh(e,t,n){let s=e[e.length-1];s&&s[0]==t?s[1]=
n:e.push([t,n])}function Po(e,t,n,s,l,o,a){let i=[],u=e.length;for(let f=l==1?n:s;f>=n&&f<=s;f+=l)if(t[f]===null){let g=f,x=f;if(l==1)for(;++f<=s&&t[f]===null;)
x=f;else for(;--f>=n&&t[f]===null;)x=f;let y=o(e[g]),v=x==g?y:o(e[x]),M=g-l;y=a<=0&&M>=0&&M<u?o(e[M]):y;let C=x+l;v=a>=0&&C>=0&&C<u?o(e[C]):v,v>=y&&i.push([y,v])}
return i}function Kr(e){return e==0?la:e==1?He:t=>Ln(t,e)}function Ta(e){let t=e==0?gl:wl,n=e==0?(l,o,a,i,u,f)=>{l.arcTo(o,a,i,u,f)}:(l,o,a,i,u,f)=>{l.arcTo(a,o,
u,i,f)},s=e==0?(l,o,a,i,u)=>{l.rect(o,a,i,u)}:(l,o,a,i,u)=>{l.rect(a,o,u,i)};return(l,o,a,i,u,f=0,p=0)=>{f==0&&p==0?s(l,o,a,i,u):(f=Ht(f,i/2,u/2),p=Ht(p,i/2,u/2),
t(l,o+f,a),n(l,o+i,a,o+i,a+u,f),n(l,o+i,a+u,o,a+u,p),n(l,o,a+u,o,a,p),n(l,o,a,o+i,a,f),l.closePath())}}var gl=(e,t,n)=>{e.moveTo(t,n)},wl=(e,t,n)=>{e.moveTo(n,t)},
ds=(e,t,n)=>{e.lineTo(t,n)},ps=(e,t,n)=>{e.lineTo(n,t)},bl=Ta(0),Io=Ta(1),Aa=(e,t,n,s,l,o)=>{e.arc(t,n,s,l,o)},Ca=(e,t,n,s,l,o)=>{e.arc(n,t,s,l,o)},Ra=(e,t,n,s,l,o,a)=>{
e.bezierCurveTo(t,n,s,l,o,a)},La=(e,t,n,s,l,o,a)=>{e.bezierCurveTo(n,t,l,s,a,o)};function Oa(e){return(t,n,s,l,o)=>In(t,n,(a,i,u,f,p,g,x,y,v,M,$)=>{let{pxRound:C,
points:w}=a,T,k;f.ori==0?(T=gl,k=Aa):(T=wl,k=Ca);let K=_e(w.width*he,3),N=(w.size-w.width)/2*he,Z=_e(N*2,3),G=new Path2D,ee=new Path2D,{left:Q,top:O,width:ne,height:B}=t.
bbox;bl(ee,Q-Z,O-Z,ne+Z*2,B+Z*2);let j=q=>{if(u[q]!=null){let ie=C(g(i[q],f,M,y)),H=C(x(u[q],p,$,v));T(G,ie+N,H),k(G,ie,H,N,0,rl*2)}};if(o)o.forEach(j);else for(let q=s;q<=
l;q++)j(q);return{stroke:K>0?G:null,fill:G,clip:ee,flags:fs|yo}})}function Na(e){return(t,n,s,l,o,a)=>{s!=l&&(o!=s&&a!=s&&e(t,n,s),o!=l&&a!=l&&e(t,n,l),e(t,n,a))}}
var ah=Na(ds),ch=Na(ps);function Da(e){let t=ce(e?.alignGaps,0);return(n,s,l,o)=>In(n,s,(a,i,u,f,p,g,x,y,v,M,$)=>{[l,o]=fl(u,l,o);let C=a.pxRound,w=B=>C(g(B,f,M,
y)),T=B=>C(x(B,p,$,v)),k,K;f.ori==0?(k=ds,K=ah):(k=ps,K=ch);let N=f.dir*(f.ori==0?1:-1),Z={stroke:new Path2D,fill:null,clip:null,band:null,gaps:null,flags:fs},G=Z.
stroke,ee=!1;if(o-l>=M*4){let B=z=>n.posToVal(z,f.key,!0),j=null,q=null,ie,H,ht,Te=w(i[N==1?l:o]),re=w(i[l]),ge=w(i[o]),se=B(N==1?re+1:ge-1);for(let z=N==1?l:o;z>=
l&&z<=o;z+=N){let ze=i[z],Ae=(N==1?ze<se:ze>se)?Te:w(ze),de=u[z];Ae==Te?de!=null?(H=de,j==null?(k(G,Ae,T(H)),ie=j=q=H):H<j?j=H:H>q&&(q=H)):de===null&&(ee=!0):(j!=
null&&K(G,Te,T(j),T(q),T(ie),T(H)),de!=null?(H=de,k(G,Ae,T(H)),j=q=ie=H):(j=q=null,de===null&&(ee=!0)),Te=Ae,se=B(Te+N))}j!=null&&j!=q&&ht!=Te&&K(G,Te,T(j),T(q),
T(ie),T(H))}else for(let B=N==1?l:o;B>=l&&B<=o;B+=N){let j=u[B];j===null?ee=!0:j!=null&&k(G,w(i[B]),T(j))}let[O,ne]=Do(n,s);if(a.fill!=null||O!=0){let B=Z.fill=
new Path2D(G),j=a.fillTo(n,s,a.min,a.max,O),q=T(j),ie=w(i[l]),H=w(i[o]);N==-1&&([H,ie]=[ie,H]),k(B,H,q),k(B,ie,q)}if(!a.spanGaps){let B=[];ee&&B.push(...Po(i,u,
l,o,N,w,t)),Z.gaps=B=a.gaps(n,s,l,o,B),Z.clip=ml(B,f.ori,y,v,M,$)}return ne!=0&&(Z.band=ne==2?[rn(n,s,l,o,G,-1),rn(n,s,l,o,G,1)]:rn(n,s,l,o,G,ne)),Z})}function uh(e){
let t=ce(e.align,1),n=ce(e.ascDesc,!1),s=ce(e.alignGaps,0),l=ce(e.extend,!1);return(o,a,i,u)=>In(o,a,(f,p,g,x,y,v,M,$,C,w,T)=>{[i,u]=fl(g,i,u);let k=f.pxRound,{
left:K,width:N}=o.bbox,Z=re=>k(v(re,x,w,$)),G=re=>k(M(re,y,T,C)),ee=x.ori==0?ds:ps,Q={stroke:new Path2D,fill:null,clip:null,band:null,gaps:null,flags:fs},O=Q.stroke,
ne=x.dir*(x.ori==0?1:-1),B=G(g[ne==1?i:u]),j=Z(p[ne==1?i:u]),q=j,ie=j;l&&t==-1&&(ie=K,ee(O,ie,B)),ee(O,j,B);for(let re=ne==1?i:u;re>=i&&re<=u;re+=ne){let ge=g[re];
if(ge==null)continue;let se=Z(p[re]),z=G(ge);t==1?ee(O,se,B):ee(O,q,z),ee(O,se,z),B=z,q=se}let H=q;l&&t==1&&(H=K+N,ee(O,H,B));let[ht,Te]=Do(o,a);if(f.fill!=null||
ht!=0){let re=Q.fill=new Path2D(O),ge=f.fillTo(o,a,f.min,f.max,ht),se=G(ge);ee(re,H,se),ee(re,ie,se)}if(!f.spanGaps){let re=[];re.push(...Po(p,g,i,u,ne,Z,s));let ge=f.
width*he/2,se=n||t==1?ge:-ge,z=n||t==-1?-ge:ge;re.forEach(ze=>{ze[0]+=se,ze[1]+=z}),Q.gaps=re=f.gaps(o,a,i,u,re),Q.clip=ml(re,x.ori,$,C,w,T)}return Te!=0&&(Q.band=
Te==2?[rn(o,a,i,u,O,-1),rn(o,a,i,u,O,1)]:rn(o,a,i,u,O,Te)),Q})}function jr(e,t,n,s,l,o,a=xe){if(e.length>1){let i=null;for(let u=0,f=1/0;u<e.length;u++)if(t[u]!==
void 0){if(i!=null){let p=qe(e[u]-e[i]);p<f&&(f=p,a=qe(n(e[u],s,l,o)-n(e[i],s,l,o)))}i=u}}return a}function fh(e){e=e||Os;let t=ce(e.size,[.6,xe,1]),n=e.align||
0,s=e.gap||0,l=e.radius;l=l==null?[0,0]:typeof l=="number"?[l,0]:l;let o=oe(l),a=1-t[0],i=ce(t[1],xe),u=ce(t[2],1),f=ce(e.disp,Os),p=ce(e.each,y=>{}),{fill:g,stroke:x}=f;
return(y,v,M,$)=>In(y,v,(C,w,T,k,K,N,Z,G,ee,Q,O)=>{let ne=C.pxRound,B=n,j=s*he,q=i*he,ie=u*he,H,ht;k.ori==0?[H,ht]=o(y,v):[ht,H]=o(y,v);let Te=k.dir*(k.ori==0?1:
-1),re=k.ori==0?bl:Io,ge=k.ori==0?p:(I,ye,Ve,Hn,Sn,Ut,kn)=>{p(I,ye,Ve,Sn,Hn,kn,Ut)},se=ce(y.bands,Co).find(I=>I.series[0]==v),z=se!=null?se.dir:0,ze=C.fillTo(y,
v,C.min,C.max,z),ot=ne(Z(ze,K,O,ee)),Ae,de,Pt,gt=Q,Re=ne(C.width*he),qt=!1,tn=null,Mt=null,cn=null,Bn=null;g!=null&&(Re==0||x!=null)&&(qt=!0,tn=g.values(y,v,M,$),
Mt=new Map,new Set(tn).forEach(I=>{I!=null&&Mt.set(I,new Path2D)}),Re>0&&(cn=x.values(y,v,M,$),Bn=new Map,new Set(cn).forEach(I=>{I!=null&&Bn.set(I,new Path2D)})));
let{x0:zn,size:gs}=f;if(zn!=null&&gs!=null){B=1,w=zn.values(y,v,M,$),zn.unit==2&&(w=w.map(Ve=>y.posToVal(G+Ve*Q,k.key,!0)));let I=gs.values(y,v,M,$);gs.unit==2?
de=I[0]*Q:de=N(I[0],k,Q,G)-N(0,k,Q,G),gt=jr(w,T,N,k,Q,G,gt),Pt=gt-de+j}else gt=jr(w,T,N,k,Q,G,gt),Pt=gt*a+j,de=gt-Pt;Pt<1&&(Pt=0),Re>=de/2&&(Re=0),Pt<5&&(ne=la);
let Bs=Pt>0,yn=gt-Pt-(Bs?Re:0);de=ne(bo(yn,ie,q)),Ae=(B==0?de/2:B==Te?0:de)-B*Te*((B==0?j/2:0)+(Bs?Re/2:0));let it={stroke:null,fill:null,clip:null,band:null,gaps:null,
flags:0},Vn=qt?null:new Path2D,nn=null;if(se!=null)nn=y.data[se.series[1]];else{let{y0:I,y1:ye}=f;I!=null&&ye!=null&&(T=ye.values(y,v,M,$),nn=I.values(y,v,M,$))}
let vn=H*de,te=ht*de;for(let I=Te==1?M:$;I>=M&&I<=$;I+=Te){let ye=T[I];if(ye==null)continue;if(nn!=null){let dt=nn[I]??0;if(ye-dt==0)continue;ot=Z(dt,K,O,ee)}let Ve=k.
distr!=2||f!=null?w[I]:I,Hn=N(Ve,k,Q,G),Sn=Z(ce(ye,ze),K,O,ee),Ut=ne(Hn-Ae),kn=ne(ut(Sn,ot)),wt=ne(Ht(Sn,ot)),$t=kn-wt;if(ye!=null){let dt=ye<0?te:vn,It=ye<0?vn:
te;qt?(Re>0&&cn[I]!=null&&re(Bn.get(cn[I]),Ut,wt+vt(Re/2),de,ut(0,$t-Re),dt,It),tn[I]!=null&&re(Mt.get(tn[I]),Ut,wt+vt(Re/2),de,ut(0,$t-Re),dt,It)):re(Vn,Ut,wt+
vt(Re/2),de,ut(0,$t-Re),dt,It),ge(y,v,I,Ut-Re/2,wt,de+Re,$t)}}return Re>0?it.stroke=qt?Bn:Vn:qt||(it._fill=C.width==0?C._fill:C._stroke??C._fill,it.width=0),it.
fill=qt?Mt:Vn,it})}function hh(e,t){let n=ce(t?.alignGaps,0);return(s,l,o,a)=>In(s,l,(i,u,f,p,g,x,y,v,M,$,C)=>{[o,a]=fl(f,o,a);let w=i.pxRound,T=H=>w(x(H,p,$,v)),
k=H=>w(y(H,g,C,M)),K,N,Z;p.ori==0?(K=gl,Z=ds,N=Ra):(K=wl,Z=ps,N=La);let G=p.dir*(p.ori==0?1:-1),ee=T(u[G==1?o:a]),Q=ee,O=[],ne=[];for(let H=G==1?o:a;H>=o&&H<=a;H+=
G)if(f[H]!=null){let Te=u[H],re=T(Te);O.push(Q=re),ne.push(k(f[H]))}let B={stroke:e(O,ne,K,Z,N,w),fill:null,clip:null,band:null,gaps:null,flags:fs},j=B.stroke,[
q,ie]=Do(s,l);if(i.fill!=null||q!=0){let H=B.fill=new Path2D(j),ht=i.fillTo(s,l,i.min,i.max,q),Te=k(ht);Z(H,Q,Te),Z(H,ee,Te)}if(!i.spanGaps){let H=[];H.push(...Po(
u,f,o,a,G,T,n)),B.gaps=H=i.gaps(s,l,o,a,H),B.clip=ml(H,p.ori,v,M,$,C)}return ie!=0&&(B.band=ie==2?[rn(s,l,o,a,j,-1),rn(s,l,o,a,j,1)]:rn(s,l,o,a,j,ie)),B})}function dh(e){
return hh(ph,e)}function ph(e,t,n,s,l,o){let a=e.length;if(a<2)return null;let i=new Path2D;if(n(i,e[0],t[0]),a==2)s(i,e[1],t[1]);else{let u=Array(a),f=Array(a-
1),p=Array(a-1),g=Array(a-1);for(let x=0;x<a-1;x++)p[x]=t[x+1]-t[x],g[x]=e[x+1]-e[x],f[x]=p[x]/g[x];u[0]=f[0];for(let x=1;x<a-1;x++)f[x]===0||f[x-1]===0||f[x-1]>
0!=f[x]>0?u[x]=0:(u[x]=3*(g[x-1]+g[x])/((2*g[x]+g[x-1])/f[x-1]+(g[x]+2*g[x-1])/f[x]),isFinite(u[x])||(u[x]=0));u[a-1]=f[a-2];for(let x=0;x<a-1;x++)l(i,e[x]+g[x]/
3,t[x]+u[x]*g[x]/3,e[x+1]-g[x]/3,t[x+1]-u[x+1]*g[x]/3,e[x+1],t[x+1])}return i}var vo=new Set;function Jr(){for(let e of vo)e.syncRect(!0)}hs&&(Dn(Gu,rs,Jr),Dn(Ku,
rs,Jr,!0),Dn(al,rs,()=>{nt.pxRatio=he}));var mh=Da(),gh=Oa();function Zr(e,t,n,s){return(s?[e[0],e[1]].concat(e.slice(2)):[e[0]].concat(e.slice(1))).map((o,a)=>So(
o,a,t,n))}function wh(e,t){return e.map((n,s)=>s==0?{}:Be({},t,n))}function So(e,t,n,s){return Be({},t==0?n:s,e)}function Pa(e,t,n){return t==null?cs:[t,n]}var bh=Pa;
function xh(e,t,n){return t==null?cs:cl(t,n,To,!0)}function Ia(e,t,n,s){return t==null?cs:hl(t,n,e.scales[s].log,!1)}var _h=Ia;function Wa(e,t,n,s){return t==null?
cs:$o(t,n,e.scales[s].log,!1)}var yh=Wa;function vh(e,t,n,s,l){let o=ut(Ar(e),Ar(t)),a=t-e,i=Vt(l/s*a,n);do{let u=n[i],f=s*u/a;if(f>=l&&o+(u<5?bn.get(u):0)<=17)
return[u,f]}while(++i<n.length);return[0,0]}function Qr(e){let t,n;return e=e.replace(/(\d+)px/,(s,l)=>(t=He((n=+l)*he))+"px"),[e,t,n]}function Sh(e){e.show&&[e.
font,e.labelFont].forEach(t=>{let n=_e(t[2]*he,1);t[0]=t[0].replace(/[0-9.]+px/,n+"px"),t[1]=n})}function nt(e,t,n){let s={mode:ce(e.mode,1)},l=s.mode;function o(r,c,h,d){
let b=c.valToPct(r);return d+h*(c.dir==-1?1-b:b)}function a(r,c,h,d){let b=c.valToPct(r);return d+h*(c.dir==-1?b:1-b)}function i(r,c,h,d){return c.ori==0?o(r,c,
h,d):a(r,c,h,d)}s.valToPosH=o,s.valToPosV=a;let u=!1;s.status=0;let f=s.root=Nt(Au);if(e.id!=null&&(f.id=e.id),yt(f,e.class),e.title){let r=Nt(Lu,f);r.textContent=
e.title}let p=zt("canvas"),g=s.ctx=p.getContext("2d"),x=Nt(Ou,f);Dn("click",x,r=>{r.target===v&&(Se!=es||Ce!=ts)&&tt.click(s,r)},!0);let y=s.under=Nt(Nu,x);x.appendChild(
p);let v=s.over=Nt(Du,x);e=us(e);let M=+ce(e.pxAlign,1),$=Kr(M);(e.plugins||[]).forEach(r=>{r.opts&&(e=r.opts(s,e)||e)});let C=e.ms||.001,w=s.series=l==1?Zr(e.series||
[],zr,Yr,!1):wh(e.series||[null],Ur),T=s.axes=Zr(e.axes||[],Br,Hr,!0),k=s.scales={},K=s.bands=e.bands||[];K.forEach(r=>{r.fill=oe(r.fill||null),r.dir=ce(r.dir,-1)});
let N=l==2?w[1].facets[0].scale:w[0].scale,Z={axes:Vc,series:Ic},G=(e.drawOrder||["axes","series"]).map(r=>Z[r]);function ee(r){let c=r.distr==3?h=>on(h>0?h:r.clamp(
s,h,r.min,r.max,r.key)):r.distr==4?h=>co(h,r.asinh):r.distr==100?h=>r.fwd(h):h=>h;return h=>{let d=c(h),{_min:b,_max:_}=r,S=_-b;return(d-b)/S}}function Q(r){let c=k[r];
if(c==null){let h=(e.scales||Os)[r]||Os;if(h.from!=null){Q(h.from);let d=Be({},k[h.from],h,{key:r});d.valToPct=ee(d),k[r]=d}else{c=k[r]=Be({},r==N?Ma:oh,h),c.key=
r;let d=c.time,b=c.range,_=wn(b);if((r!=N||l==2&&!d)&&(_&&(b[0]==null||b[1]==null)&&(b={min:b[0]==null?Mr:{mode:1,hard:b[0],soft:b[0]},max:b[1]==null?Mr:{mode:1,
hard:b[1],soft:b[1]}},_=!1),!_&&pl(b))){let S=b;b=(A,R,D)=>R==null?cs:cl(R,D,S)}c.range=oe(b||(d?bh:r==N?c.distr==3?_h:c.distr==4?yh:Pa:c.distr==3?Ia:c.distr==4?
Wa:xh)),c.auto=oe(_?!1:c.auto),c.clamp=oe(c.clamp||lh),c._min=c._max=null,c.valToPct=ee(c)}}}Q("x"),Q("y"),l==1&&w.forEach(r=>{Q(r.scale)}),T.forEach(r=>{Q(r.scale)});
for(let r in e.scales)Q(r);let O=k[N],ne=O.distr,B,j;O.ori==0?(yt(f,Cu),B=o,j=a):(yt(f,Ru),B=a,j=o);let q={};for(let r in k){let c=k[r];(c.min!=null||c.max!=null)&&
(q[r]={min:c.min,max:c.max},c.min=c.max=null)}let ie=e.tzDate||(r=>new Date(He(r/C))),H=e.fmtDate||Ro,ht=C==1?Rf(ie):Nf(ie),Te=Ir(ie,Pr(C==1?Cf:Of,H)),re=Fr(ie,
Wr(Pf,H)),ge=[],se=s.legend=Be({},Ff,e.legend),z=s.cursor=Be({},Uf,{drag:{y:l==2}},e.cursor),ze=se.show,ot=z.show,Ae=se.markers;se.idxs=ge,Ae.width=oe(Ae.width),
Ae.dash=oe(Ae.dash),Ae.stroke=oe(Ae.stroke),Ae.fill=oe(Ae.fill);let de,Pt,gt,Re=[],qt=[],tn,Mt=!1,cn={};if(se.live){let r=w[1]?w[1].values:null;Mt=r!=null,tn=Mt?
r(s,1,0):{_:0};for(let c in tn)cn[c]=Eo}if(ze)if(de=zt("table",zu,f),gt=zt("tbody",null,de),se.mount(s,de),Mt){Pt=zt("thead",null,de,gt);let r=zt("tr",null,Pt);
zt("th",null,r);for(var Bn in tn)zt("th",dr,r).textContent=Bn}else yt(de,Hu),se.live&&yt(de,Vu);let zn={show:!0},gs={show:!1};function Bs(r,c){if(c==0&&(Mt||!se.
live||l==2))return cs;let h=[],d=zt("tr",qu,gt,gt.childNodes[c]);yt(d,r.class),r.show||yt(d,Nn);let b=zt("th",null,d);if(Ae.show){let A=Nt(Uu,b);if(c>0){let R=Ae.
width(s,c);R&&(A.style.border=R+"px "+Ae.dash(s,c)+" "+Ae.stroke(s,c)),A.style.background=Ae.fill(s,c)}}let _=Nt(dr,b);r.label instanceof HTMLElement?_.appendChild(
r.label):_.textContent=r.label,c>0&&(Ae.show||(_.style.color=r.width>0?Ae.stroke(s,c):Ae.fill(s,c)),it("click",b,A=>{if(z._lock)return;Mn(A);let R=w.indexOf(r);
if((A.ctrlKey||A.metaKey)!=se.isolate){let D=w.some((P,W)=>W>0&&W!=R&&P.show);w.forEach((P,W)=>{W>0&&Gt(W,D?W==R?zn:gs:zn,!0,We.setSeries)})}else Gt(R,{show:!r.
show},!0,We.setSeries)},!1),Un&&it(wr,b,A=>{z._lock||(Mn(A),Gt(w.indexOf(r),ss,!0,We.setSeries))},!1));for(var S in tn){let A=zt("td",Yu,d);A.textContent="--",h.
push(A)}return[d,h]}let yn=new Map;function it(r,c,h,d=!0){let b=yn.get(c)||{},_=z.bind[r](s,c,h,d);_&&(Dn(r,c,b[r]=_),yn.set(c,b))}function Vn(r,c,h){let d=yn.
get(c)||{};for(let b in d)(r==null||b==r)&&(wo(b,c,d[b]),delete d[b]);r==null&&yn.delete(c)}let nn=0,vn=0,te=0,I=0,ye=0,Ve=0,Hn=ye,Sn=Ve,Ut=te,kn=I,wt=0,$t=0,dt=0,
It=0;s.bbox={};let $l=!1,zs=!1,qn=!1,En=!1,Vs=!1,Tt=!1;function Tl(r,c,h){(h||r!=s.width||c!=s.height)&&ti(r,c),Jn(!1),qn=!0,zs=!0,Zn()}function ti(r,c){s.width=
nn=te=r,s.height=vn=I=c,ye=Ve=0,Cc(),Rc();let h=s.bbox;wt=h.left=Ln(ye*he,.5),$t=h.top=Ln(Ve*he,.5),dt=h.width=Ln(te*he,.5),It=h.height=Ln(I*he,.5)}let $c=3;function Tc(){
let r=!1,c=0;for(;!r;){c++;let h=Bc(c),d=zc(c);r=c==$c||h&&d,r||(ti(s.width,s.height),zs=!0)}}function Ac({width:r,height:c}){Tl(r,c)}s.setSize=Ac;function Cc(){
let r=!1,c=!1,h=!1,d=!1;T.forEach((b,_)=>{if(b.show&&b._show){let{side:S,_size:A}=b,R=S%2,D=b.label!=null?b.labelSize:0,P=A+D;P>0&&(R?(te-=P,S==3?(ye+=P,d=!0):h=
!0):(I-=P,S==0?(Ve+=P,r=!0):c=!0))}}),$n[0]=r,$n[1]=h,$n[2]=c,$n[3]=d,te-=un[1]+un[3],ye+=un[3],I-=un[2]+un[0],Ve+=un[0]}function Rc(){let r=ye+te,c=Ve+I,h=ye,d=Ve;
function b(_,S){switch(_){case 1:return r+=S,r-S;case 2:return c+=S,c-S;case 3:return h-=S,h+S;case 0:return d-=S,d+S}}T.forEach((_,S)=>{if(_.show&&_._show){let A=_.
side;_._pos=b(A,_._size),_.label!=null&&(_._lpos=b(A,_.labelSize))}})}if(z.dataIdx==null){let r=z.hover,c=r.skip=new Set(r.skip??[]);c.add(void 0);let h=r.prox=
oe(r.prox),d=r.bias??=0;z.dataIdx=(b,_,S,A)=>{if(_==0)return S;let R=S,D=h(b,_,S,A)??xe,P=D>=0&&D<xe,W=O.ori==0?te:I,J=z.left,ue=t[0],ae=t[_];if(c.has(ae[S])){R=
null;let le=null,Y=null,V;if(d==0||d==-1)for(V=S;le==null&&V-- >0;)c.has(ae[V])||(le=V);if(d==0||d==1)for(V=S;Y==null&&V++<ae.length;)c.has(ae[V])||(Y=V);if(le!=
null||Y!=null)if(P){let Ee=le==null?-1/0:B(ue[le],O,W,0),Oe=Y==null?1/0:B(ue[Y],O,W,0),Je=J-Ee,we=Oe-J;Je<=we?Je<=D&&(R=le):we<=D&&(R=Y)}else R=Y==null?le:le==null?
Y:S-le<=Y-S?le:Y}else P&&qe(J-B(ue[S],O,W,0))>D&&(R=null);return R}}let Mn=r=>{z.event=r};z.idxs=ge,z._lock=!1;let st=z.points;st.show=oe(st.show),st.size=oe(st.
size),st.stroke=oe(st.stroke),st.width=oe(st.width),st.fill=oe(st.fill);let Yt=s.focus=Be({},e.focus||{alpha:.3},z.focus),Un=Yt.prox>=0,Yn=Un&&st.one,At=[],Gn=[],
Kn=[];function ni(r,c){let h=st.show(s,c);if(h instanceof HTMLElement)return yt(h,Bu),yt(h,r.class),en(h,-10,-10,te,I),v.insertBefore(h,At[c]),h}function si(r,c){
if(l==1||c>0){let h=l==1&&k[r.scale].time,d=r.value;r.value=h?Lr(d)?Fr(ie,Wr(d,H)):d||re:d||th,r.label=r.label||(h?Gf:Yf)}if(Yn||c>0){r.width=r.width==null?1:r.
width,r.paths=r.paths||mh||lf,r.fillTo=oe(r.fillTo||ih),r.pxAlign=+ce(r.pxAlign,M),r.pxRound=Kr(r.pxAlign),r.stroke=oe(r.stroke||null),r.fill=oe(r.fill||null),r.
_stroke=r._fill=r._paths=r._focus=null;let h=nh(ut(1,r.width),1),d=r.points=Be({},{size:h,width:ut(1,h*.2),stroke:r.stroke,space:h*2,paths:gh,_stroke:null,_fill:null},
r.points);d.show=oe(d.show),d.filter=oe(d.filter),d.fill=oe(d.fill),d.stroke=oe(d.stroke),d.paths=oe(d.paths),d.pxAlign=r.pxAlign}if(ze){let h=Bs(r,c);Re.splice(
c,0,h[0]),qt.splice(c,0,h[1]),se.values.push(null)}if(ot){ge.splice(c,0,null);let h=null;Yn?c==0&&(h=ni(r,c)):c>0&&(h=ni(r,c)),At.splice(c,0,h),Gn.splice(c,0,0),
Kn.splice(c,0,0)}je("addSeries",c)}function Lc(r,c){c=c??w.length,r=l==1?So(r,c,zr,Yr):So(r,c,{},Ur),w.splice(c,0,r),si(w[c],c)}s.addSeries=Lc;function Oc(r){if(w.
splice(r,1),ze){se.values.splice(r,1),qt.splice(r,1);let c=Re.splice(r,1)[0];Vn(null,c.firstChild),c.remove()}ot&&(ge.splice(r,1),At.splice(r,1)[0].remove(),Gn.
splice(r,1),Kn.splice(r,1)),je("delSeries",r)}s.delSeries=Oc;let $n=[!1,!1,!1,!1];function Nc(r,c){if(r._show=r.show,r.show){let h=r.side%2,d=k[r.scale];d==null&&
(r.scale=h?w[1].scale:N,d=k[r.scale]);let b=d.time;r.size=oe(r.size),r.space=oe(r.space),r.rotate=oe(r.rotate),wn(r.incrs)&&r.incrs.forEach(S=>{!bn.has(S)&&bn.set(
S,ra(S))}),r.incrs=oe(r.incrs||(d.distr==2?$f:b?C==1?Af:Lf:On)),r.splits=oe(r.splits||(b&&d.distr==1?ht:d.distr==3?xo:d.distr==4?Jf:jf)),r.stroke=oe(r.stroke),r.
grid.stroke=oe(r.grid.stroke),r.ticks.stroke=oe(r.ticks.stroke),r.border.stroke=oe(r.border.stroke);let _=r.values;r.values=wn(_)&&!wn(_[0])?oe(_):b?wn(_)?Ir(ie,
Pr(_,H)):Lr(_)?Df(ie,_):_||Te:_||Kf,r.filter=oe(r.filter||(d.distr>=3&&d.log==10?Xf:d.distr==3&&d.log==2?eh:oa)),r.font=Qr(r.font),r.labelFont=Qr(r.labelFont),r.
_size=r.size(s,null,c,0),r._space=r._rotate=r._incrs=r._found=r._splits=r._values=null,r._size>0&&($n[c]=!0,r._el=Nt(Pu,x))}}function ws(r,c,h,d){let[b,_,S,A]=h,
R=c%2,D=0;return R==0&&(A||_)&&(D=c==0&&!b||c==2&&!S?He(Br.size/3):0),R==1&&(b||S)&&(D=c==1&&!_||c==3&&!A?He(Hr.size/2):0),D}let li=s.padding=(e.padding||[ws,ws,
ws,ws]).map(r=>oe(ce(r,ws))),un=s._padding=li.map((r,c)=>r(s,c,$n,0)),et,Ue=null,Ye=null,Hs=l==1?w[0].idxs:null,Wt=null,bs=!1;function oi(r,c){if(t=r??[],s.data=
s._data=t,l==2){et=0;for(let h=1;h<w.length;h++)et+=t[h][0].length}else{t.length==0&&(s.data=s._data=t=[[]]),Wt=t[0],et=Wt.length;let h=t;if(ne==2){h=t.slice();
let d=h[0]=Array(et);for(let b=0;b<et;b++)d[b]=b}s._data=t=h}if(Jn(!0),je("setData"),ne==2&&(qn=!0),c!==!1){let h=O;h.auto(s,bs)?Al():hn(N,h.min,h.max),En=En||z.
left>=0,Tt=!0,Zn()}}s.setData=oi;function Al(){bs=!0;let r,c;l==1&&(et>0?(Ue=Hs[0]=0,Ye=Hs[1]=et-1,r=t[0][Ue],c=t[0][Ye],ne==2?(r=Ue,c=Ye):r==c&&(ne==3?[r,c]=hl(
r,r,O.log,!1):ne==4?[r,c]=$o(r,r,O.log,!1):O.time?c=r+He(86400/C):[r,c]=cl(r,c,To,!0))):(Ue=Hs[0]=r=null,Ye=Hs[1]=c=null)),hn(N,r,c)}let qs,jn,Cl,Rl,Ll,Ol,Nl,Dl,
Pl,pt;function ii(r,c,h,d,b,_){r??=mr,h??=Co,d??="butt",b??=mr,_??="round",r!=qs&&(g.strokeStyle=qs=r),b!=jn&&(g.fillStyle=jn=b),c!=Cl&&(g.lineWidth=Cl=c),_!=Ll&&
(g.lineJoin=Ll=_),d!=Ol&&(g.lineCap=Ol=d),h!=Rl&&g.setLineDash(Rl=h)}function ri(r,c,h,d){c!=jn&&(g.fillStyle=jn=c),r!=Nl&&(g.font=Nl=r),h!=Dl&&(g.textAlign=Dl=
h),d!=Pl&&(g.textBaseline=Pl=d)}function Il(r,c,h,d,b=0){if(d.length>0&&r.auto(s,bs)&&(c==null||c.min==null)){let _=ce(Ue,0),S=ce(Ye,d.length-1),A=h.min==null?Qu(
d,_,S,b,r.distr==3):[h.min,h.max];r.min=Ht(r.min,h.min=A[0]),r.max=ut(r.max,h.max=A[1])}}let ai={min:null,max:null};function Dc(){for(let d in k){let b=k[d];q[d]==
null&&(b.min==null||q[N]!=null&&b.auto(s,bs))&&(q[d]=ai)}for(let d in k){let b=k[d];q[d]==null&&b.from!=null&&q[b.from]!=null&&(q[d]=ai)}q[N]!=null&&Jn(!0);let r={};
for(let d in q){let b=q[d];if(b!=null){let _=r[d]=us(k[d],af);if(b.min!=null)Be(_,b);else if(d!=N||l==2)if(et==0&&_.from==null){let S=_.range(s,null,null,d);_.min=
S[0],_.max=S[1]}else _.min=xe,_.max=-xe}}if(et>0){w.forEach((d,b)=>{if(l==1){let _=d.scale,S=q[_];if(S==null)return;let A=r[_];if(b==0){let R=A.range(s,A.min,A.
max,_);A.min=R[0],A.max=R[1],Ue=Vt(A.min,t[0]),Ye=Vt(A.max,t[0]),Ye-Ue>1&&(t[0][Ue]<A.min&&Ue++,t[0][Ye]>A.max&&Ye--),d.min=Wt[Ue],d.max=Wt[Ye]}else d.show&&d.auto&&
Il(A,S,d,t[b],d.sorted);d.idxs[0]=Ue,d.idxs[1]=Ye}else if(b>0&&d.show&&d.auto){let[_,S]=d.facets,A=_.scale,R=S.scale,[D,P]=t[b],W=r[A],J=r[R];W!=null&&Il(W,q[A],
_,D,_.sorted),J!=null&&Il(J,q[R],S,P,S.sorted),d.min=S.min,d.max=S.max}});for(let d in r){let b=r[d],_=q[d];if(b.from==null&&(_==null||_.min==null)){let S=b.range(
s,b.min==xe?null:b.min,b.max==-xe?null:b.max,d);b.min=S[0],b.max=S[1]}}}for(let d in r){let b=r[d];if(b.from!=null){let _=r[b.from];if(_.min==null)b.min=b.max=null;else{
let S=b.range(s,_.min,_.max,d);b.min=S[0],b.max=S[1]}}}let c={},h=!1;for(let d in r){let b=r[d],_=k[d];if(_.min!=b.min||_.max!=b.max){_.min=b.min,_.max=b.max;let S=_.
distr;_._min=S==3?on(_.min):S==4?co(_.min,_.asinh):S==100?_.fwd(_.min):_.min,_._max=S==3?on(_.max):S==4?co(_.max,_.asinh):S==100?_.fwd(_.max):_.max,c[d]=h=!0}}if(h){
w.forEach((d,b)=>{l==2?b>0&&c.y&&(d._paths=null):c[d.scale]&&(d._paths=null)});for(let d in c)qn=!0,je("setScale",d);ot&&z.left>=0&&(En=Tt=!0)}for(let d in q)q[d]=
null}function Pc(r){let c=bo(Ue-1,0,et-1),h=bo(Ye+1,0,et-1);for(;r[c]==null&&c>0;)c--;for(;r[h]==null&&h<et-1;)h++;return[c,h]}function Ic(){if(et>0){let r=w.some(
c=>c._focus)&&pt!=Yt.alpha;r&&(g.globalAlpha=pt=Yt.alpha),w.forEach((c,h)=>{if(h>0&&c.show&&(ci(h,!1),ci(h,!0),c._paths==null)){let d=pt;pt!=c.alpha&&(g.globalAlpha=
pt=c.alpha);let b=l==2?[0,t[h][0].length-1]:Pc(t[h]);c._paths=c.paths(s,h,b[0],b[1]),pt!=d&&(g.globalAlpha=pt=d)}}),w.forEach((c,h)=>{if(h>0&&c.show){let d=pt;pt!=
c.alpha&&(g.globalAlpha=pt=c.alpha),c._paths!=null&&ui(h,!1);{let b=c._paths!=null?c._paths.gaps:null,_=c.points.show(s,h,Ue,Ye,b),S=c.points.filter(s,h,_,b);(_||
S)&&(c.points._paths=c.points.paths(s,h,Ue,Ye,S),ui(h,!0))}pt!=d&&(g.globalAlpha=pt=d),je("drawSeries",h)}}),r&&(g.globalAlpha=pt=1)}}function ci(r,c){let h=c?w[r].
points:w[r];h._stroke=h.stroke(s,r),h._fill=h.fill(s,r)}function ui(r,c){let h=c?w[r].points:w[r],{stroke:d,fill:b,clip:_,flags:S,_stroke:A=h._stroke,_fill:R=h.
_fill,_width:D=h.width}=h._paths;D=_e(D*he,3);let P=null,W=D%2/2;c&&R==null&&(R=D>0?"#fff":A);let J=h.pxAlign==1&&W>0;if(J&&g.translate(W,W),!c){let ue=wt-D/2,ae=$t-
D/2,le=dt+D,Y=It+D;P=new Path2D,P.rect(ue,ae,le,Y)}c?Wl(A,D,h.dash,h.cap,R,d,b,S,_):Wc(r,A,D,h.dash,h.cap,R,d,b,S,P,_),J&&g.translate(-W,-W)}function Wc(r,c,h,d,b,_,S,A,R,D,P){
let W=!1;R!=0&&K.forEach((J,ue)=>{if(J.series[0]==r){let ae=w[J.series[1]],le=t[J.series[1]],Y=(ae._paths||Os).band;wn(Y)&&(Y=J.dir==1?Y[0]:Y[1]);let V,Ee=null;
ae.show&&Y&&ef(le,Ue,Ye)?(Ee=J.fill(s,ue)||_,V=ae._paths.clip):Y=null,Wl(c,h,d,b,Ee,S,A,R,D,P,V,Y),W=!0}}),W||Wl(c,h,d,b,_,S,A,R,D,P)}let fi=fs|yo;function Wl(r,c,h,d,b,_,S,A,R,D,P,W){
ii(r,c,h,d,b),(R||D||W)&&(g.save(),R&&g.clip(R),D&&g.clip(D)),W?(A&fi)==fi?(g.clip(W),P&&g.clip(P),Ys(b,S),Us(r,_,c)):A&yo?(Ys(b,S),g.clip(W),Us(r,_,c)):A&fs&&(g.
save(),g.clip(W),P&&g.clip(P),Ys(b,S),g.restore(),Us(r,_,c)):(Ys(b,S),Us(r,_,c)),(R||D||W)&&g.restore()}function Us(r,c,h){h>0&&(c instanceof Map?c.forEach((d,b)=>{
g.strokeStyle=qs=b,g.stroke(d)}):c!=null&&r&&g.stroke(c))}function Ys(r,c){c instanceof Map?c.forEach((h,d)=>{g.fillStyle=jn=d,g.fill(h)}):c!=null&&r&&g.fill(c)}
function Fc(r,c,h,d){let b=T[r],_;if(d<=0)_=[0,0];else{let S=b._space=b.space(s,r,c,h,d),A=b._incrs=b.incrs(s,r,c,h,d,S);_=vh(c,h,A,d,S)}return b._found=_}function Fl(r,c,h,d,b,_,S,A,R,D){
let P=S%2/2;M==1&&g.translate(P,P),ii(A,S,R,D,A),g.beginPath();let W,J,ue,ae,le=b+(d==0||d==3?-_:_);h==0?(J=b,ae=le):(W=b,ue=le);for(let Y=0;Y<r.length;Y++)c[Y]!=
null&&(h==0?W=ue=r[Y]:J=ae=r[Y],g.moveTo(W,J),g.lineTo(ue,ae));g.stroke(),M==1&&g.translate(-P,-P)}function Bc(r){let c=!0;return T.forEach((h,d)=>{if(!h.show)return;
let b=k[h.scale];if(b.min==null){h._show&&(c=!1,h._show=!1,Jn(!1));return}else h._show||(c=!1,h._show=!0,Jn(!1));let _=h.side,S=_%2,{min:A,max:R}=b,[D,P]=Fc(d,A,
R,S==0?te:I);if(P==0)return;let W=b.distr==2,J=h._splits=h.splits(s,d,A,R,D,P,W),ue=b.distr==2?J.map(V=>Wt[V]):J,ae=b.distr==2?Wt[J[1]]-Wt[J[0]]:D,le=h._values=
h.values(s,h.filter(s,ue,d,P,ae),d,P,ae);h._rotate=_==2?h.rotate(s,le,d,P):0;let Y=h._size;h._size=Dt(h.size(s,le,d,r)),Y!=null&&h._size!=Y&&(c=!1)}),c}function zc(r){
let c=!0;return li.forEach((h,d)=>{let b=h(s,d,$n,r);b!=un[d]&&(c=!1),un[d]=b}),c}function Vc(){for(let r=0;r<T.length;r++){let c=T[r];if(!c.show||!c._show)continue;
let h=c.side,d=h%2,b,_,S=c.stroke(s,r),A=h==0||h==3?-1:1,[R,D]=c._found;if(c.label!=null){let at=c.labelGap*A,_t=He((c._lpos+at)*he);ri(c.labelFont[0],S,"center",
h==2?"top":pr),g.save(),d==1?(b=_=0,g.translate(_t,He($t+It/2)),g.rotate((h==3?-rl:rl)/2)):(b=He(wt+dt/2),_=_t);let Cn=sa(c.label)?c.label(s,r,R,D):c.label;g.fillText(
Cn,b,_),g.restore()}if(D==0)continue;let P=k[c.scale],W=d==0?dt:It,J=d==0?wt:$t,ue=c._splits,ae=P.distr==2?ue.map(at=>Wt[at]):ue,le=P.distr==2?Wt[ue[1]]-Wt[ue[0]]:
R,Y=c.ticks,V=c.border,Ee=Y.show?Y.size:0,Oe=He(Ee*he),Je=He((c.alignTo==2?c._size-Ee-c.gap:c.gap)*he),we=c._rotate*-rl/180,Ne=$(c._pos*he),bt=(Oe+Je)*A,rt=Ne+bt;
_=d==0?rt:0,b=d==1?rt:0;let Ct=c.font[0],Ft=c.align==1?os:c.align==2?io:we>0?os:we<0?io:d==0?"center":h==3?io:os,jt=we||d==1?"middle":h==2?"top":pr;ri(Ct,S,Ft,jt);
let xt=c.font[1]*c.lineGap,Rt=ue.map(at=>$(i(at,P,W,J))),Bt=c._values;for(let at=0;at<Bt.length;at++){let _t=Bt[at];if(_t!=null){d==0?b=Rt[at]:_=Rt[at],_t=""+_t;
let Cn=_t.indexOf(`
`)==-1?[_t]:_t.split(/\n/gm);for(let ct=0;ct<Cn.length;ct++){let Ci=Cn[ct];we?(g.save(),g.translate(b,_+ct*xt),g.rotate(we),g.fillText(Ci,0,0),g.restore()):g.fillText(
Ci,b,_+ct*xt)}}}Y.show&&Fl(Rt,Y.filter(s,ae,r,D,le),d,h,Ne,Oe,_e(Y.width*he,3),Y.stroke(s,r),Y.dash,Y.cap);let Jt=c.grid;Jt.show&&Fl(Rt,Jt.filter(s,ae,r,D,le),d,
d==0?2:1,d==0?$t:wt,d==0?It:dt,_e(Jt.width*he,3),Jt.stroke(s,r),Jt.dash,Jt.cap),V.show&&Fl([Ne],[1],d==0?1:0,d==0?1:2,d==1?$t:wt,d==1?It:dt,_e(V.width*he,3),V.stroke(
s,r),V.dash,V.cap)}je("drawAxes")}function Jn(r){w.forEach((c,h)=>{h>0&&(c._paths=null,r&&(l==1?(c.min=null,c.max=null):c.facets.forEach(d=>{d.min=null,d.max=null})))})}
let Gs=!1,Bl=!1,xs=[];function Hc(){Bl=!1;for(let r=0;r<xs.length;r++)je(...xs[r]);xs.length=0}function Zn(){Gs||(mf(hi),Gs=!0)}function qc(r,c=!1){Gs=!0,Bl=c,r(
s),hi(),c&&xs.length>0&&queueMicrotask(Hc)}s.batch=qc;function hi(){if($l&&(Dc(),$l=!1),qn&&(Tc(),qn=!1),zs){if($e(y,os,ye),$e(y,"top",Ve),$e(y,As,te),$e(y,Cs,I),
$e(v,os,ye),$e(v,"top",Ve),$e(v,As,te),$e(v,Cs,I),$e(x,As,nn),$e(x,Cs,vn),p.width=He(nn*he),p.height=He(vn*he),T.forEach(({_el:r,_show:c,_size:h,_pos:d,side:b})=>{
if(r!=null)if(c){let _=b===3||b===0?h:0,S=b%2==1;$e(r,S?"left":"top",d-_),$e(r,S?"width":"height",h),$e(r,S?"top":"left",S?Ve:ye),$e(r,S?"height":"width",S?I:te),
go(r,Nn)}else yt(r,Nn)}),qs=jn=Cl=Ll=Ol=Nl=Dl=Pl=Rl=null,pt=1,vs(!0),ye!=Hn||Ve!=Sn||te!=Ut||I!=kn){Jn(!1);let r=te/Ut,c=I/kn;if(ot&&!En&&z.left>=0){z.left*=r,z.
top*=c,Qn&&en(Qn,He(z.left),0,te,I),Xn&&en(Xn,0,He(z.top),te,I);for(let h=0;h<At.length;h++){let d=At[h];d!=null&&(Gn[h]*=r,Kn[h]*=c,en(d,Dt(Gn[h]),Dt(Kn[h]),te,
I))}}if(ke.show&&!Vs&&ke.left>=0&&ke.width>0){ke.left*=r,ke.width*=r,ke.top*=c,ke.height*=c;for(let h in Yl)$e(ns,h,ke[h])}Hn=ye,Sn=Ve,Ut=te,kn=I}je("setSize"),
zs=!1}nn>0&&vn>0&&(g.clearRect(0,0,p.width,p.height),je("drawClear"),G.forEach(r=>r()),je("draw")),ke.show&&Vs&&(Ks(ke),Vs=!1),ot&&En&&(An(null,!0,!1),En=!1),se.
show&&se.live&&Tt&&(ql(),Tt=!1),u||(u=!0,s.status=1,je("ready")),bs=!1,Gs=!1}s.redraw=(r,c)=>{qn=c||!1,r!==!1?hn(N,O.min,O.max):Zn()};function zl(r,c){let h=k[r];
if(h.from==null){if(et==0){let d=h.range(s,c.min,c.max,r);c.min=d[0],c.max=d[1]}if(c.min>c.max){let d=c.min;c.min=c.max,c.max=d}if(et>1&&c.min!=null&&c.max!=null&&
c.max-c.min<1e-16)return;r==N&&h.distr==2&&et>0&&(c.min=Vt(c.min,t[0]),c.max=Vt(c.max,t[0]),c.min==c.max&&c.max++),q[r]=c,$l=!0,Zn()}}s.setScale=zl;let Vl,Hl,Qn,
Xn,di,pi,es,ts,mi,gi,Se,Ce,fn=!1,tt=z.drag,Ge=tt.x,Ke=tt.y;ot&&(z.x&&(Vl=Nt(Wu,v)),z.y&&(Hl=Nt(Fu,v)),O.ori==0?(Qn=Vl,Xn=Hl):(Qn=Hl,Xn=Vl),Se=z.left,Ce=z.top);let ke=s.
select=Be({show:!0,over:!0,left:0,width:0,top:0,height:0},e.select),ns=ke.show?Nt(Iu,ke.over?v:y):null;function Ks(r,c){if(ke.show){for(let h in r)ke[h]=r[h],h in
Yl&&$e(ns,h,r[h]);c!==!1&&je("setSelect")}}s.setSelect=Ks;function Uc(r){if(w[r].show)ze&&go(Re[r],Nn);else if(ze&&yt(Re[r],Nn),ot){let h=Yn?At[0]:At[r];h!=null&&
en(h,-10,-10,te,I)}}function hn(r,c,h){zl(r,{min:c,max:h})}function Gt(r,c,h,d){c.focus!=null&&Jc(r),c.show!=null&&w.forEach((b,_)=>{_>0&&(r==_||r==null)&&(b.show=
c.show,Uc(_),l==2?(hn(b.facets[0].scale,null,null),hn(b.facets[1].scale,null,null)):hn(b.scale,null,null),Zn())}),h!==!1&&je("setSeries",r,c),d&&Ss("setSeries",
s,r,c)}s.setSeries=Gt;function Yc(r,c){Be(K[r],c)}function Gc(r,c){r.fill=oe(r.fill||null),r.dir=ce(r.dir,-1),c=c??K.length,K.splice(c,0,r)}function Kc(r){r==null?
K.length=0:K.splice(r,1)}s.addBand=Gc,s.setBand=Yc,s.delBand=Kc;function jc(r,c){w[r].alpha=c,ot&&At[r]!=null&&(At[r].style.opacity=c),ze&&Re[r]&&(Re[r].style.opacity=
c)}let sn,dn,Tn,ss={focus:!0};function Jc(r){if(r!=Tn){let c=r==null,h=Yt.alpha!=1;w.forEach((d,b)=>{if(l==1||b>0){let _=c||b==0||b==r;d._focus=c?null:_,h&&jc(b,
_?1:Yt.alpha)}}),Tn=r,h&&Zn()}}ze&&Un&&it(br,de,r=>{z._lock||(Mn(r),Tn!=null&&Gt(null,ss,!0,We.setSeries))});function Kt(r,c,h){let d=k[c];h&&(r=r/he-(d.ori==1?
Ve:ye));let b=te;d.ori==1&&(b=I,r=b-r),d.dir==-1&&(r=b-r);let _=d._min,S=d._max,A=r/b,R=_+(S-_)*A,D=d.distr;return D==3?as(10,R):D==4?nf(R,d.asinh):D==100?d.bwd(
R):R}function Zc(r,c){let h=Kt(r,N,c);return Vt(h,t[0],Ue,Ye)}s.valToIdx=r=>Vt(r,t[0]),s.posToIdx=Zc,s.posToVal=Kt,s.valToPos=(r,c,h)=>k[c].ori==0?o(r,k[c],h?dt:
te,h?wt:0):a(r,k[c],h?It:I,h?$t:0),s.setCursor=(r,c,h)=>{Se=r.left,Ce=r.top,An(null,c,h)};function wi(r,c){$e(ns,os,ke.left=r),$e(ns,As,ke.width=c)}function bi(r,c){
$e(ns,"top",ke.top=r),$e(ns,Cs,ke.height=c)}let _s=O.ori==0?wi:bi,ys=O.ori==1?wi:bi;function Qc(){if(ze&&se.live)for(let r=l==2?1:0;r<w.length;r++){if(r==0&&Mt)
continue;let c=se.values[r],h=0;for(let d in c)qt[r][h++].firstChild.nodeValue=c[d]}}function ql(r,c){if(r!=null&&(r.idxs?r.idxs.forEach((h,d)=>{ge[d]=h}):rf(r.
idx)||ge.fill(r.idx),se.idx=ge[0]),ze&&se.live){for(let h=0;h<w.length;h++)(h>0||l==1&&!Mt)&&Xc(h,ge[h]);Qc()}Tt=!1,c!==!1&&je("setLegend")}s.setLegend=ql;function Xc(r,c){
let h=w[r],d=r==0&&ne==2?Wt:t[r],b;Mt?b=h.values(s,r,c)??cn:(b=h.value(s,c==null?null:d[c],r,c),b=b==null?cn:{_:b}),se.values[r]=b}function An(r,c,h){mi=Se,gi=Ce,
[Se,Ce]=z.move(s,Se,Ce),z.left=Se,z.top=Ce,ot&&(Qn&&en(Qn,He(Se),0,te,I),Xn&&en(Xn,0,He(Ce),te,I));let d,b=Ue>Ye;sn=xe,dn=null;let _=O.ori==0?te:I,S=O.ori==1?te:
I;if(Se<0||et==0||b){d=z.idx=null;for(let A=0;A<w.length;A++){let R=At[A];R!=null&&en(R,-10,-10,te,I)}Un&&Gt(null,ss,!0,r==null&&We.setSeries),se.live&&(ge.fill(
d),Tt=!0)}else{let A,R,D;l==1&&(A=O.ori==0?Se:Ce,R=Kt(A,N),d=z.idx=Vt(R,t[0],Ue,Ye),D=B(t[0][d],O,_,0));let P=-10,W=-10,J=0,ue=0,ae=!0,le="",Y="";for(let V=l==2?
1:0;V<w.length;V++){let Ee=w[V],Oe=ge[V],Je=Oe==null?null:l==1?t[V][Oe]:t[V][1][Oe],we=z.dataIdx(s,V,d,R),Ne=we==null?null:l==1?t[V][we]:t[V][1][we];if(Tt=Tt||Ne!=
Je||we!=Oe,ge[V]=we,V>0&&Ee.show){let bt=we==null?-10:we==d?D:B(l==1?t[0][we]:t[V][0][we],O,_,0),rt=Ne==null?-10:j(Ne,l==1?k[Ee.scale]:k[Ee.facets[1].scale],S,0);
if(Un&&Ne!=null){let Ct=O.ori==1?Se:Ce,Ft=qe(Yt.dist(s,V,we,rt,Ct));if(Ft<sn){let jt=Yt.bias;if(jt!=0){let xt=Kt(Ct,Ee.scale),Rt=Ne>=0?1:-1,Bt=xt>=0?1:-1;Bt==Rt&&
(Bt==1?jt==1?Ne>=xt:Ne<=xt:jt==1?Ne<=xt:Ne>=xt)&&(sn=Ft,dn=V)}else sn=Ft,dn=V}}if(Tt||Yn){let Ct,Ft;O.ori==0?(Ct=bt,Ft=rt):(Ct=rt,Ft=bt);let jt,xt,Rt,Bt,Jt,at,_t=!0,
Cn=st.bbox;if(Cn!=null){_t=!1;let ct=Cn(s,V);Rt=ct.left,Bt=ct.top,jt=ct.width,xt=ct.height}else Rt=Ct,Bt=Ft,jt=xt=st.size(s,V);if(at=st.fill(s,V),Jt=st.stroke(s,
V),Yn)V==dn&&sn<=Yt.prox&&(P=Rt,W=Bt,J=jt,ue=xt,ae=_t,le=at,Y=Jt);else{let ct=At[V];ct!=null&&(Gn[V]=Rt,Kn[V]=Bt,Er(ct,jt,xt,_t),Sr(ct,at,Jt),en(ct,Dt(Rt),Dt(Bt),
te,I))}}}}if(Yn){let V=Yt.prox,Ee=Tn==null?sn<=V:sn>V||dn!=Tn;if(Tt||Ee){let Oe=At[0];Oe!=null&&(Gn[0]=P,Kn[0]=W,Er(Oe,J,ue,ae),Sr(Oe,le,Y),en(Oe,Dt(P),Dt(W),te,
I))}}}if(ke.show&&fn)if(r!=null){let[A,R]=We.scales,[D,P]=We.match,[W,J]=r.cursor.sync.scales,ue=r.cursor.drag;if(Ge=ue._x,Ke=ue._y,Ge||Ke){let{left:ae,top:le,width:Y,
height:V}=r.select,Ee=r.scales[W].ori,Oe=r.posToVal,Je,we,Ne,bt,rt,Ct=A!=null&&D(A,W),Ft=R!=null&&P(R,J);Ct&&Ge?(Ee==0?(Je=ae,we=Y):(Je=le,we=V),Ne=k[A],bt=B(Oe(
Je,W),Ne,_,0),rt=B(Oe(Je+we,W),Ne,_,0),_s(Ht(bt,rt),qe(rt-bt))):_s(0,_),Ft&&Ke?(Ee==1?(Je=ae,we=Y):(Je=le,we=V),Ne=k[R],bt=j(Oe(Je,J),Ne,S,0),rt=j(Oe(Je+we,J),Ne,
S,0),ys(Ht(bt,rt),qe(rt-bt))):ys(0,S)}else Gl()}else{let A=qe(mi-di),R=qe(gi-pi);if(O.ori==1){let J=A;A=R,R=J}Ge=tt.x&&A>=tt.dist,Ke=tt.y&&R>=tt.dist;let D=tt.uni;
D!=null?Ge&&Ke&&(Ge=A>=D,Ke=R>=D,!Ge&&!Ke&&(R>A?Ke=!0:Ge=!0)):tt.x&&tt.y&&(Ge||Ke)&&(Ge=Ke=!0);let P,W;Ge&&(O.ori==0?(P=es,W=Se):(P=ts,W=Ce),_s(Ht(P,W),qe(W-P)),
Ke||ys(0,S)),Ke&&(O.ori==1?(P=es,W=Se):(P=ts,W=Ce),ys(Ht(P,W),qe(W-P)),Ge||_s(0,_)),!Ge&&!Ke&&(_s(0,0),ys(0,0))}if(tt._x=Ge,tt._y=Ke,r==null){if(h){if(Ai!=null){
let[A,R]=We.scales;We.values[0]=A!=null?Kt(O.ori==0?Se:Ce,A):null,We.values[1]=R!=null?Kt(O.ori==1?Se:Ce,R):null}Ss(ro,s,Se,Ce,te,I,d)}if(Un){let A=h&&We.setSeries,
R=Yt.prox;Tn==null?sn<=R&&Gt(dn,ss,!0,A):sn>R?Gt(null,ss,!0,A):dn!=Tn&&Gt(dn,ss,!0,A)}}Tt&&(se.idx=d,ql()),c!==!1&&je("setCursor")}let pn=null;Object.defineProperty(
s,"rect",{get(){return pn==null&&vs(!1),pn}});function vs(r=!1){r?pn=null:(pn=v.getBoundingClientRect(),je("syncRect",pn))}function xi(r,c,h,d,b,_,S){z._lock||fn&&
r!=null&&r.movementX==0&&r.movementY==0||(Ul(r,c,h,d,b,_,S,!1,r!=null),r!=null?An(null,!0,!0):An(c,!0,!1))}function Ul(r,c,h,d,b,_,S,A,R){if(pn==null&&vs(!1),Mn(
r),r!=null)h=r.clientX-pn.left,d=r.clientY-pn.top;else{if(h<0||d<0){Se=-10,Ce=-10;return}let[D,P]=We.scales,W=c.cursor.sync,[J,ue]=W.values,[ae,le]=W.scales,[Y,
V]=We.match,Ee=c.axes[0].side%2==1,Oe=O.ori==0?te:I,Je=O.ori==1?te:I,we=Ee?_:b,Ne=Ee?b:_,bt=Ee?d:h,rt=Ee?h:d;if(ae!=null?h=Y(D,ae)?i(J,k[D],Oe,0):-10:h=Oe*(bt/we),
le!=null?d=V(P,le)?i(ue,k[P],Je,0):-10:d=Je*(rt/Ne),O.ori==1){let Ct=h;h=d,d=Ct}}R&&(c==null||c.cursor.event.type==ro)&&((h<=1||h>=te-1)&&(h=Ln(h,te)),(d<=1||d>=
I-1)&&(d=Ln(d,I))),A?(di=h,pi=d,[es,ts]=z.move(s,h,d)):(Se=h,Ce=d)}let Yl={width:0,height:0,left:0,top:0};function Gl(){Ks(Yl,!1)}let _i,yi,vi,Si;function ki(r,c,h,d,b,_,S){
fn=!0,Ge=Ke=tt._x=tt._y=!1,Ul(r,c,h,d,b,_,S,!0,!1),r!=null&&(it(ao,po,Ei,!1),Ss(gr,s,es,ts,te,I,null));let{left:A,top:R,width:D,height:P}=ke;_i=A,yi=R,vi=D,Si=P}
function Ei(r,c,h,d,b,_,S){fn=tt._x=tt._y=!1,Ul(r,c,h,d,b,_,S,!1,!0);let{left:A,top:R,width:D,height:P}=ke,W=D>0||P>0,J=_i!=A||yi!=R||vi!=D||Si!=P;if(W&&J&&Ks(ke),
tt.setScale&&W&&J){let ue=A,ae=D,le=R,Y=P;if(O.ori==1&&(ue=R,ae=P,le=A,Y=D),Ge&&hn(N,Kt(ue,N),Kt(ue+ae,N)),Ke)for(let V in k){let Ee=k[V];V!=N&&Ee.from==null&&Ee.
min!=xe&&hn(V,Kt(le+Y,V),Kt(le,V))}Gl()}else z.lock&&(z._lock=!z._lock,An(c,!0,r!=null));r!=null&&(Vn(ao,po),Ss(ao,s,Se,Ce,te,I,null))}function eu(r,c,h,d,b,_,S){
if(z._lock)return;Mn(r);let A=fn;if(fn){let R=!0,D=!0,P=10,W,J;O.ori==0?(W=Ge,J=Ke):(W=Ke,J=Ge),W&&J&&(R=Se<=P||Se>=te-P,D=Ce<=P||Ce>=I-P),W&&R&&(Se=Se<es?0:te),
J&&D&&(Ce=Ce<ts?0:I),An(null,!0,!0),fn=!1}Se=-10,Ce=-10,ge.fill(null),An(null,!0,!0),A&&(fn=A)}function Mi(r,c,h,d,b,_,S){z._lock||(Mn(r),Al(),Gl(),r!=null&&Ss(
xr,s,Se,Ce,te,I,null))}function $i(){T.forEach(Sh),Tl(s.width,s.height,!0)}Dn(al,rs,$i);let ls={};ls.mousedown=ki,ls.mousemove=xi,ls.mouseup=Ei,ls.dblclick=Mi,ls.
setSeries=(r,c,h,d)=>{let b=We.match[2];h=b(s,c,h),h!=-1&&Gt(h,d,!0,!1)},ot&&(it(gr,v,ki),it(ro,v,xi),it(wr,v,r=>{Mn(r),vs(!1)}),it(br,v,eu),it(xr,v,Mi),vo.add(
s),s.syncRect=vs);let js=s.hooks=e.hooks||{};function je(r,c,h){Bl?xs.push([r,c,h]):r in js&&js[r].forEach(d=>{d.call(null,s,c,h)})}(e.plugins||[]).forEach(r=>{
for(let c in r.hooks)js[c]=(js[c]||[]).concat(r.hooks[c])});let Ti=(r,c,h)=>h,We=Be({key:null,setSeries:!1,filters:{pub:Cr,sub:Cr},scales:[N,w[1]?w[1].scale:null],
match:[Rr,Rr,Ti],values:[null,null]},z.sync);We.match.length==2&&We.match.push(Ti),z.sync=We;let Ai=We.key,Kl=$a(Ai);function Ss(r,c,h,d,b,_,S){We.filters.pub(r,
c,h,d,b,_,S)&&Kl.pub(r,c,h,d,b,_,S)}Kl.sub(s);function tu(r,c,h,d,b,_,S){We.filters.sub(r,c,h,d,b,_,S)&&ls[r](null,c,h,d,b,_,S)}s.pub=tu;function nu(){Kl.unsub(
s),vo.delete(s),yn.clear(),wo(al,rs,$i),f.remove(),de?.remove(),je("destroy")}s.destroy=nu;function jl(){je("init",e,t),oi(t||e.data,!1),q[N]?zl(N,q[N]):Al(),Vs=
ke.show&&(ke.width>0||ke.height>0),En=Tt=!0,Tl(e.width,e.height)}return w.forEach(si),T.forEach(Nc),n?n instanceof HTMLElement?(n.appendChild(f),jl()):n(s,jl):jl(),
s}nt.assign=Be;nt.fmtNum=Ao;nt.rangeNum=cl;nt.rangeLog=hl;nt.rangeAsinh=$o;nt.orient=In;nt.pxRatio=he;nt.join=pf;nt.fmtDate=Ro,nt.tzDate=Ef;nt.sync=$a;{nt.addGap=
rh,nt.clipGaps=ml;let e=nt.paths={points:Oa};e.linear=Da,e.stepped=uh,e.bars=fh,e.spline=dh}var Pe=22,kt=24,xn=null;function Wo(){xn=null}function ve(e){return xn||(xn=new Map,xn.style=getComputedStyle(document.documentElement)),xn.has(e)||xn.set(e,xn.
style.getPropertyValue(`--${e}`).trim()||"#888"),xn.get(e)}function kh(e,t){let n=e/Math.max(2,t/110),s=10**Math.floor(Math.log10(n));for(let l of[1,2,5,10])if(l*
s>=n)return l*s;return 10*s}function Eh(e,t){let[n,s]=[["s",1e9],["ms",1e6],["\xB5s",1e3],["ns",1]].find(([,l])=>Math.abs(e)>=l)??["ns",1];return e===0||e>=12e10?
E(e):`${(e/s).toFixed(Math.max(0,Math.ceil(Math.log10(s/t)-1e-9)))} ${n}`}function Fa(e,{from:t,to:n,left:s,width:l,height:o}){let a=kh(n-t,l);e.fillStyle=ve("q\
uiet"),e.strokeStyle=ve("line"),e.font="11px system-ui, sans-serif",e.textBaseline="middle",e.beginPath();for(let i=Math.ceil(t/a)*a;i<=n;i+=a){let u=Math.round(
s+(i-t)/(n-t)*l)+.5;e.moveTo(u,kt-5),e.lineTo(u,o),u<s+l-40&&e.fillText(Eh(Math.round(i),a),u+3,kt/2)}e.stroke()}function Mh(e,t,{from:n,to:s,left:l,width:o},a){
let i=o/(s-n);for(let u=0;u<t.bins.length;u+=4){let f=t.from+t.bins[u]*t.binNs;if(f>s)break;if(f+t.binNs<n)continue;let p=Math.round(l+Math.max(0,f-n)*i),g=Math.
max(1,Math.round(l+Math.min(s-n,f+t.binNs-n)*i)-p),x=Math.max(3,t.bins[u+2]/1e3*(Pe-6));e.fillStyle=ve(t.ops[t.bins[u+3]].kind),e.fillRect(p,a+Pe-3-x,g,x)}}function $h(e,t,{
from:n,to:s,left:l,width:o,chosen:a},i){let u=o/(s-n),f=[-1,-1];e.font="11px system-ui, sans-serif",e.textBaseline="middle";for(let p of t.slices){if(p.start>s)
break;let g=p.duration===null?s:p.start+p.duration;if(g<n)continue;let x=l+Math.max(0,(p.start-n)*u),y=l+Math.min(o,(g-n)*u),v=p.depth>0?1:0,M=a===p.seq;if(y-x<
1&&x<f[v]&&!M)continue;let $=Math.max(1,y-x);f[v]=x+$;let C=v?i+3+Math.min(3,p.depth)*4:i+3,w=v?Math.max(3,Pe-6-Math.min(3,p.depth)*4):Pe-6;if(e.globalAlpha=p.duration===
null?.5:1,e.fillStyle=ve(p.op.kind),e.fillRect(x,C,$,w),e.globalAlpha=1,v&&(e.fillStyle=ve("card"),e.fillRect(x,C-1,$,1)),p.failed&&(e.fillStyle=ve("critical"),
e.fillRect(x,i+1,Math.max(2,$),2)),M&&(e.strokeStyle=ve("ink"),e.lineWidth=2,e.strokeRect(x,i+2,$,Pe-4),e.lineWidth=1),$>34&&!v){e.fillStyle=ve("card");let T=Math.
floor(($-6)/6),k=p.op.op;e.fillText(k.length<=T?k:`${k.slice(0,Math.max(1,T-1))}\u2026`,x+3,i+Pe/2)}}}function Ba(e,t,n,s){for(let{line:l,y:o}of t){if(l.lane&&l.
lane.lane===s.lane&&(e.fillStyle=ve("chosen"),e.fillRect(0,o,s.left+s.width,Pe)),l.chains){let i=s.width/(s.to-s.from);for(let u of l.chains){let f=Math.max(s.left,
s.left+(u.from-s.from)*i),p=Math.min(s.left+s.width,s.left+(u.to-s.from)*i);p<s.left||f>s.left+s.width||(e.fillStyle=ve("chain"),e.globalAlpha=u.id===s.chain?.9:
.5,e.fillRect(f,o+4,Math.max(3,p-f),Pe-8),e.globalAlpha=1)}continue}let a=l.lane?n.get(l.lane.lane):null;a&&(Mh(e,a,s,o),$h(e,a,s,o))}}var za=["launch","memcpy","collective","alloc","sync","fabric","graph","p2p","memset","event","module","stream"],xl=e=>ve(za[e%za.length]),Va=(e,t,n)=>({space:n,
stroke:()=>ve("quiet"),grid:{stroke:()=>ve("line"),width:1},ticks:{stroke:()=>ve("line")},values:e,size:t});function Th(e,t,n,s){let l=null,o=new ResizeObserver(
()=>{let a=e.clientWidth;a&&(l||(l=new nt({...t,width:a,height:s},n,e),l.root.querySelector("canvas").setAttribute("aria-hidden","true")),l.width!==a&&l.setSize(
{width:a,height:s}),e.plot=l)});return o.observe(e),e.close=()=>{o.disconnect(),l?.destroy()},e}function _n({label:e,times:t,series:n,text:s,timeText:l,height:o=220,
stacked:a=!1,choose:i=null}){let u=m("div",{class:"chart",role:"img","aria-label":`${e}: ${n.map(g=>g.name).join(", ")}`}),f=n.map(g=>g.values);if(a){let g=new Array(
t.length).fill(0);f=f.map(x=>x.map((y,v)=>g[v]+=y??0))}let p=n.map((g,x)=>({label:g.name,stroke:()=>xl(x),width:1.5,points:{show:t.length<3},spanGaps:!0,fill:a?
()=>xl(x):void 0,value:(y,v,M,$)=>$===null?"\u2013":s(n[x].values[$])}));return a&&(p.reverse(),f.reverse()),Th(u,{cursor:{drag:{x:!0,y:!1,setScale:!i}},scales:{
x:{time:!1},y:{range:(g,x,y)=>[Math.min(0,x??0),(y||1)*1.05]}},axes:[Va((g,x)=>x.map(y=>l(y)),30,90),Va((g,x)=>x.map(y=>s(y)),74,35)],series:[{label:"Time",value:(g,x)=>x===
null?"\u2013":l(x)},...p],legend:{live:!0},hooks:i?{setSelect:[g=>{g.select.width>3&&i(g.posToVal(g.select.left,"x"),g.posToVal(g.select.left+g.select.width,"x"))}]}:
{}},[t,...f],o)}var Fo=e=>`${e.pid}|${e.stream??""}|${e.phase}`,Ha=e=>e.slow_1_5x+e.slow_2x+e.slow_3x,Ah=(e,t)=>t.steps?Zt(e/t.steps):"\u2013",Ua=e=>[e.engine,e.model].filter(Boolean).
join(" "),Ch={s:e=>E(e*1e9),bytes:Le},Rh=e=>e.interval_mean!==null||e.interval_p95!==null||e.unit==="s"&&!e.name.endsWith(".total"),Bo=(e,t)=>e==null?"\u2013":Ch[t]?.(
e)??Zt(e),Lh=[{head:"Workload",text:e=>`${e.process??"?"} ${e.pid}, ${e.phase}`,sort:e=>e.pid},{head:"Serves",text:Ua},{head:"Steps",number:!0,text:e=>L(e.steps),
sort:e=>e.steps},{head:"Slow",number:!0,text:e=>L(Ha(e)),sort:Ha,title:"1.5 times the 95th percentile and more"},{head:"3x",number:!0,text:e=>L(e.slow_3x),sort:e=>e.
slow_3x},{head:"Usual",number:!0,text:e=>E(e.mean_ns),sort:e=>e.mean_ns,title:"Mean of healthy steps"},{head:"p95",number:!0,text:e=>E(e.p95_ns),sort:e=>e.p95_ns,
title:"Of healthy steps"},{head:"Longest",number:!0,text:e=>E(e.max_ns),sort:e=>e.max_ns},{head:"Launches a step",number:!0,text:e=>Ah(e.launches+e.graph_launches,
e),title:"Launches of graphs count as one each"},{head:"Copied a step",number:!0,text:e=>e.steps?Le(Math.round(e.copied_bytes/e.steps)):"\u2013"},{head:"Idle",number:!0,
text:e=>E(e.idle_ns),sort:e=>e.idle_ns,title:"Pauses that are part of no step"},{head:"Began over",number:!0,text:e=>e.relearned?L(e.relearned):"",title:"Times \
that what is usual changed for good"}];function qa(e){let[t,n]=[BigInt(e.start_wall_ns),BigInt(e.duration_ns)];return{view:"timeline",from:Lt(t-n/2n),to:Lt(t+3n*
n/2n)}}var Oh=e=>[{head:"At",number:!0,node:t=>m("a",{href:lt(qa(t))},E(Number(BigInt(t.start_wall_ns)-e.origin))),sort:t=>Number(t.start_wall_ns)},{head:"Threa\
d",text:t=>`${t.pid}/${t.tid}`},{head:"Phase",text:t=>t.phase},{head:"Class",text:t=>t.slow,sort:t=>parseFloat(t.slow)},{head:"Took",number:!0,text:t=>E(t.duration_ns),
sort:t=>t.duration_ns},{head:"p95 then",number:!0,text:t=>E(t.baseline_p95_ns)},{head:"Waited",number:!0,text:t=>E(t.wait_ns),sort:t=>t.wait_ns},{head:"Launches",
number:!0,text:t=>L(t.launches+t.graph_launches)},{head:"Cause",node:t=>t.incident?m("a",{href:lt({...qa(t),chosen:{chain:t.incident}})},t.incident):"none found"}];
async function Nh(e,t){let n=t.stream===null?"NULL":t.stream,s=Xt("timestamp",o=>String(Me(o))),l=await Ze(`SELECT timestamp - ${e.origin} AS at, duration_ns, b\
aseline_p95_ns FROM inference_steps
    WHERE pid = ${t.pid} AND stream IS ${n} AND phase = '${t.phase.replaceAll("'","''")}' AND ${s} ORDER BY timestamp`,1e4,e.signal);return l.length?_n({label:"\
Steps over time",times:l.map(o=>o.at),text:E,timeText:E,series:[{name:"Step",values:l.map(o=>o.duration_ns)},{name:"Usual, p95",values:l.map(o=>o.baseline_p95_ns)}]}):
null}async function Dh(e,t){let n=await pe("get_inference",Fe(),t.signal);if(!n.workloads.length&&!n.engines.length)return e.append(U("Inference",fe("No step of\
 inference is known: the recording was made without --inference, or no program served a model."),be(n))),()=>{};let s=n.workloads.find(o=>Fo(o)===F.chosen.workload),
l=null;return s&&(l=await Nh(t,s),e.append(U(`${s.process??"?"} ${s.pid}, ${s.phase}`,l??fe("It made no step in this part.")))),e.append(U("Workloads, in the wh\
ole recording",n.workloads.length?X({caption:"Workloads; choose one to see its steps over time",rows:n.workloads,columns:Lh,key:Fo,chosen:F.chosen.workload??null,
choose:o=>Ie({workload:Fo(o)},!1)}):fe("No step ended.")),U("Slow steps",n.slow_steps.length?X({caption:"Slow steps, the worst first",rows:n.slow_steps,columns:Oh(
t)}):fe("No step of this part was slow.")),U("What engines said last",n.engines.length?X({caption:"Metrics of engines",rows:n.engines,columns:[{head:"Metric",text:o=>o.
name,sort:o=>o.name},{head:"Engine",text:o=>`${Ua(o)} (${o.pid})`},{head:"Value",number:!0,text:o=>Rh(o)?`${L(o.value)} times`:Bo(o.value,o.unit),title:"Of a hi\
stogram: how often it observed"},{head:"Mean",number:!0,text:o=>Bo(o.interval_mean,o.unit),title:"Since the reading before"},{head:"p95",number:!0,text:o=>Bo(o.
interval_p95,o.unit),title:"Since the reading before"},{head:"Unit",text:o=>o.unit}]}):fe("No engine was found, or none showed its metrics."))),n.cut.length&&e.
append(be(n)),()=>l?.close()}var Ya={name:"inference",title:"Inference",draw:Dh};var Ga=8,Ka=e=>`${e.frames?.find(t=>t.startsWith("[Python]"))??e.frames?.[1]??e.frames?.[0]??e.op} (${e.pid})`;async function Ph(e,t){let n=await pe("get_memory",
{...Fe(),limit:100,bins:300},t.signal),{totals:s,sites:l,over_time:o}=n;if(!l.length)return e.append(U("Memory",fe("No call of this part obtained memory."),be(n))),
()=>{};e.append(U("Memory",mt([["Held at the end",Le(s.held_bytes)],["Held at most",Le(s.peak_bytes)],["Allocations held",L(s.held_allocations)],["Freed, but ob\
tained before",L(s.frees_of_unseen)],["Of unknown address",s.address_unknown?L(s.address_unknown):null]]),be(n)));let a=null;if(o){let i=Number(Me(o.from)-t.origin),
u=o.total_bytes.map((x,y)=>i+y*o.bin_ns),f=o.site_bytes.slice(0,Ga),p=f.map((x,y)=>({name:Ka(l[y]),values:x})),g=o.total_bytes.map((x,y)=>Math.max(0,x-f.reduce(
(v,M)=>v+M[y],0)));g.some(x=>x>0)&&p.push({name:"others",values:g}),a=_n({label:"Bytes held by call site",times:u,series:p,stacked:!0,text:Le,timeText:E,height:280}),
e.append(U("Held over time, by call site",a,m("p",{class:"quiet"},"The most held in each part; what the program held before the recording is not seen.")))}e.append(
U("Call sites",X({caption:"Call sites",rows:l.map((i,u)=>({...i,i:u})),columns:[{head:"Where",node:i=>m("span",{},m("i",{class:"dot","data-ink":i.i<Ga?i.i:""}),
Ka(i))},{head:"Call",text:i=>i.op,sort:i=>i.op},{head:"Held",number:!0,text:i=>Le(i.held_bytes),sort:i=>i.held_bytes},{head:"At most",number:!0,text:i=>Le(i.peak_bytes),
sort:i=>i.peak_bytes},{head:"Obtained",number:!0,text:i=>Le(i.bytes),sort:i=>i.bytes},{head:"Given back",number:!0,text:i=>Le(i.freed_bytes),sort:i=>i.freed_bytes},
{head:"Calls",number:!0,text:i=>L(i.calls),sort:i=>i.calls},{head:"Failed",number:!0,text:i=>i.failed?L(i.failed):"",sort:i=>i.failed}]})));for(let i of e.querySelectorAll(
"[data-ink]"))i.dataset.ink!==""&&(i.style.background=xl(Number(i.dataset.ink)));return()=>a?.close()}var ja={name:"memory",title:"Memory",draw:Ph};var Ja=4;function Ih(e,t,n){let[s,l]=[120,18],o=m("canvas",{width:s*2,height:l*2,class:"spark",role:"img","aria-label":e?`most often about ${E(e.from_ns[e.counts.
indexOf(Math.max(...e.counts))])}`:"not known"});if(!e)return o;let a=o.getContext("2d");a.scale(2,2),a.fillStyle=ve(e.kind);let i=Math.max(...e.counts),u=f=>(Math.
log2(Math.max(f,1))-t)/(n-t)*(s-3);return e.from_ns.forEach((f,p)=>{let g=Math.max(1.5,Math.log1p(e.counts[p])/Math.log1p(i)*l);a.fillRect(u(f),l-g,Math.max(2,s/
((n-t)*Ja)-.5),g)}),o}function Wh(e,t,n){let s=w=>{let T=2**Math.floor(Math.log2(Math.max(w,1)));return w+Math.max(1,T/16)},[l,o]=[Math.log2(Math.max(e.from_ns[0],
1)),Math.log2(s(e.from_ns.at(-1)))],a=Math.max(...e.counts),i=160,u=m("canvas",{class:"distribution",role:"img","aria-label":`Distribution of ${e.op}`}),f=0,p=null,
g=null,x=w=>(Math.log2(Math.max(w,1))-l)/Math.max(o-l,.01)*f,y=w=>2**(l+w/f*(o-l));function v(){let w=devicePixelRatio||1;f=u.clientWidth,u.width=f*w,u.height=i*
w;let T=u.getContext("2d");T.scale(w,w);let k=g??(t?[x(t[0]),x(t[1])]:null);k&&(T.fillStyle=ve("chosen"),T.fillRect(Math.min(...k),0,Math.abs(k[1]-k[0]),i-18)),
T.fillStyle=ve(e.kind),e.from_ns.forEach((N,Z)=>{let G=Math.max(2,Math.log1p(e.counts[Z])/Math.log1p(a)*(i-24));T.fillRect(x(N),i-18-G,Math.max(1,x(s(N))-x(N)-.5),
G)}),T.fillStyle=ve("quiet"),T.font="11px system-ui, sans-serif";let K=o-l>5?[1]:o-l>2?[1,2,5]:[1,1.5,2,3,4,5,6,7,8,9];for(let N=0,Z=-60;N<12;N++)for(let G of K){
let ee=x(G*10**N);ee<Math.max(0,Z+60)||ee>f-40||(T.fillText(E(G*10**N),ee,i-4),Z=ee)}}u.addEventListener("pointerdown",w=>{p=w.offsetX,u.setPointerCapture(w.pointerId)}),
u.addEventListener("pointermove",w=>{p!==null&&(g=[p,w.offsetX],v())}),u.addEventListener("pointerup",w=>{let[T,k]=[p,w.offsetX].sort((K,N)=>K-N);p=g=null,n(k-T>
3?[Math.floor(y(Math.max(0,T))),Math.ceil(y(Math.min(f,k)))]:null)});let M=new ResizeObserver(v);M.observe(u);let $=(w,T,k)=>[m("label",{for:w},T),m("input",{id:w,
type:"number",min:"0",step:"any",value:k??""})],C=m("form",{class:"bar"},$("least","From \xB5s",t?t[0]/1e3:null),$("most","to \xB5s",t?t[1]/1e3:null),m("button",
{type:"submit"},"List these calls"),t?m("button",{type:"button",onclick:()=>n(null)},"All"):null);return C.addEventListener("submit",w=>{w.preventDefault();let[
T,k]=[C.querySelector("#least").value,C.querySelector("#most").value];n(T===""&&k===""?null:[Math.floor(Number(T||0)*1e3),Math.ceil(Number(k||1e12)*1e3)])}),{node:m(
"div",{},u,m("p",{class:"quiet"},"Calls by duration, both on logarithmic scales. Drag over a part to list its calls."),C),close:()=>M.disconnect()}}async function Fh(e,t,n){
let s=e.origin,l=Xt("timestamp",a=>String(Me(a))),o=await Ze(`SELECT seq, timestamp - ${s} AS start_ns, duration, pid, tid, comm, failed, bytes, kernel FROM eve\
nts
    WHERE call = '${t.call.replaceAll("'","''")}' AND ${l} ${n?`AND duration BETWEEN ${n[0]} AND ${n[1]}`:""}
    ORDER BY duration DESC`,50,e.signal);return o.length?X({caption:`Calls of ${t.op}, longest first`,rows:o,most:50,columns:[{head:"Took",number:!0,text:a=>E(a.
duration),sort:a=>a.duration},{head:"At",number:!0,node:a=>m("a",{href:lt({view:"timeline",from:Lt(s+BigInt(a.start_ns-Math.max(1e3,a.duration??0))),to:Lt(s+BigInt(
a.start_ns+2*Math.max(1e3,a.duration??0))),chosen:{call:a.seq}})},E(a.start_ns)),sort:a=>a.start_ns},{head:"Thread",text:a=>`${a.comm??""} ${a.pid}/${a.tid}`},{
head:"Bytes",number:!0,text:a=>Le(a.bytes),sort:a=>a.bytes},{head:"Failed",text:a=>a.failed?"yes":""},{head:"Kernel",text:a=>a.kernel??""}]}):fe("No call of thi\
s part took so long.")}var Bh=e=>U("Kernels",X({caption:"Kernels",rows:e,sorted:2,columns:[{head:"Kernel",text:t=>t.kernel??"without a name",sort:t=>t.kernel??""},
{head:"Launches",number:!0,text:t=>L(t.launches),sort:t=>t.launches},{head:"Waited behind it",number:!0,text:t=>E(t.wait_ns),sort:t=>t.wait_ns,title:"Its share \
of the waits of the threads that launched it: a wait is shared equally among the launches since the one before"},{head:"Copied",number:!0,text:t=>Le(t.copied_bytes),
sort:t=>t.copied_bytes,title:"Its share of the bytes copied meanwhile"},{head:"In launching",number:!0,text:t=>E(t.launch_ns),sort:t=>t.launch_ns},{head:"Failed",
number:!0,text:t=>t.failed?L(t.failed):"",sort:t=>t.failed}]}));async function zh(e,t){let[n,s]=await Promise.all([pe("get_trace_stats",Fe(),t.signal),pe("get_d\
istributions",{...Fe(),per_octave:Ja},t.signal)]),l=new Map(s.calls.map(w=>[w.call,w])),o=Math.min(10,...s.calls.map(w=>Math.log2(Math.max(w.from_ns[0],1)))),a=Math.
max(11,...s.calls.map(w=>Math.log2(w.from_ns.at(-1))+.5)),i=n.calls.reduce((w,T)=>w+(T.total_ns??0),0),u=[{head:"Call",text:w=>w.op+("single_step_ns"in w?" *":""),
sort:w=>w.op},{head:"Count",number:!0,text:w=>L(w.count),sort:w=>w.count},{head:"Total",number:!0,text:w=>E(w.total_ns),sort:w=>w.total_ns},{head:"Share",number:!0,
text:w=>w.kind==="host"?"":ln(w.total_ns/i),title:"Of all calls' time; a call made inside another is in both"},{head:"p50",number:!0,text:w=>E(w.p50_ns),sort:w=>w.
p50_ns},{head:"p95",number:!0,text:w=>E(w.p95_ns),sort:w=>w.p95_ns},{head:"p99",number:!0,text:w=>E(w.p99_ns),sort:w=>w.p99_ns},{head:"Longest",number:!0,text:w=>E(
w.max_ns),sort:w=>w.max_ns},{head:"Errors",number:!0,text:w=>w.errors?L(w.errors):"",sort:w=>w.errors},{head:"Bytes",number:!0,text:w=>w.bytes===null?"":Le(w.bytes),
sort:w=>w.bytes},{head:"Off CPU",number:!0,text:w=>w.off_cpu?ln(Object.values(w.off_cpu).reduce((T,k)=>T+k,0)/w.total_ns):"",title:"Part of the time that the ca\
lling threads were off the CPU"}],f=[{head:"Layer",text:w=>w.layer,sort:w=>w.layer},{head:"Distribution",node:w=>Ih(l.get(w.call),o,a)}];matchMedia("(max-width:\
 600px)").matches?u.push(...f):u.splice(1,0,...f);let p=u.findIndex(({head:w})=>w==="Total"),g=F.chosen.op??null,x=w=>Ie({op:w.call,least:null,most:null},!1);e.
append(U("Calls",n.calls.length?X({caption:"Calls",rows:n.calls,columns:u,sorted:p,choose:x,key:w=>w.call,chosen:g}):fe("No call was recorded in this part.")),...n.
host.length?[U("What the host did",X({caption:"Host events",rows:n.host,columns:u.filter(({head:w})=>w!=="Off CPU"&&w!=="Share"),choose:x,key:w=>w.call,chosen:g}))]:
[]),n.kernels?.length&&e.append(Bh(n.kernels)),n.calls.some(w=>"single_step_ns"in w)&&e.append(m("p",{class:"quiet"},"* Probed on an instruction that the kernel\
 single-steps: a part of each duration is that step. Choose the call to see how much."));for(let w of[n,s])w.cut.length&&e.append(be(w));if(!g)return()=>{};let y=await pe(
"get_distributions",{...Fe(),op:g,per_octave:16},t.signal),v=y.calls.find(w=>w.call===g)??y.calls[0];if(!v)return e.prepend(U(g,fe("It was not called in this pa\
rt, or has no durations."))),()=>{};let M=F.chosen.least?[Number(F.chosen.least),Number(F.chosen.most)]:null,$=Wh(v,M,w=>Ie({least:w?.[0]??null,most:w?.[1]??null},
!1)),C=[...n.calls,...n.host].find(w=>w.call===v.call);return e.prepend(U(v.op,mt([["Count",L(v.count)],["p50",E(C?.p50_ns)],["p99",E(C?.p99_ns)],["Longest",E(C?.
max_ns)],["Library's name",v.call],["Of each the probe's single step",C&&"single_step_ns"in C?E(C.single_step_ns):null]]),$.node,await Fh(t,v,M))),$.close}var Za={
name:"operations",title:"Operations",draw:zh};var _l={device_wait:"waiting for the device",communication:"waiting for a collective",submit:"submitting",copy:"copying",allocate:"allocating",other_call:"other\
 GPU calls",host:"host code",page_fault:"page faults",cpu_wait:"waiting for a CPU",throttled:"throttled (CPU quota)",stopped:"stopped",disk:"waiting for a disk",
reclaim:"memory reclaim",pipe:"waiting for a pipe",socket:"waiting for a socket",futex:"waiting for a lock",poll:"waiting in poll",child:"waiting for a child",sleep:"\
sleeping",driver:"waiting in a driver",other_wait:"waiting for something else",blocked:"blocked (not recorded on what)",unknown:"not known"},Qa=Object.keys(_l),
Wn=e=>_l[e]??String(e).replaceAll("_"," "),yl=e=>e in _l?`t-${e}`:"t-unknown",Xa=e=>e in _l?Qa.indexOf(e):Qa.length,ms=e=>[...e].sort((t,n)=>Xa(t.name)-Xa(n.name));var Ds=20,Vh=24,Hh=.004,zo=(e,t)=>e[Math.min(e.length-1,Math.floor(t*e.length))];function qh(e){let t=Math.max(...e.map(l=>l.duration_ns)),n=e.filter(l=>!l.is_slow),
s=(n.length?n:e).map(l=>l.duration_ns).sort((l,o)=>l-o);return Math.min(t,Math.max(3*zo(s,.5),1.2*zo(s,.9)))||1}function Uh(e){let t=e.slice(1).map((s,l)=>s.at-
e[l].at-e[l].duration_ns),n=zo([...t].sort((s,l)=>s-l),.5)??0;return new Set(t.flatMap((s,l)=>s>Math.max(1e9,5*n)?[l+1]:[]))}function Yh(e,t,n,s,l){let o=Math.min(
e.low,e.ns),a=[[e.ns-o,"pale"],[o,""]],i=n,u=[];for(let[f,p]of a){let[g,x]=[Math.min(i,l.top),Math.min(i+f,l.top)];i+=f;let y=(x-g)*s;y>=Hh*l.height&&u.push(De(
"rect",{class:`${yl(e.name)} ${p}`,x:t.x,y:(l.y-x*s).toFixed(1),width:t.width,height:y.toFixed(1)}))}return u}function Gh(e,{left:t,width:n,y:s,scale:l}){let o=Qi(
e/4),a=[];for(let i=o;i<=e;i+=o){let u=Math.round(s-i*l)+.5;a.push(De("line",{class:"grid",x1:t,x2:n,y1:u,y2:u}),De("text",{class:"axis",x:t-5,y:u+4,"text-ancho\
r":"end"},E(i)))}return De("g",{"aria-hidden":"true"},a)}function Kh(e,t,n){let s=[],l=[],o=e.map((a,i)=>({item:a,i})).filter(({item:a})=>a.duration_ns>n*1.001).
sort((a,i)=>i.item.duration_ns-a.item.duration_ns);for(let{item:a,i}of o){let u=E(a.duration_ns),f=t[i].x+t[i].width/2,p=3.4*u.length;s.some(g=>Math.abs(g.middle-
f)<p+g.half+4)||(s.push({middle:f,half:p}),l.push(De("text",{class:"axis",x:f,y:Ds-7,"text-anchor":"middle"},u)))}return l}function ec(e,t){let n=t<500?220:260,
s=t<500?50:62,l=n-Vh,o=qh(e),a=(l-Ds)/o,i=Uh(e),u=Math.min(48,(t-s-2)/(e.length+i.size)),f=[],p=[],g=s+2;e.forEach((y,v)=>{i.has(v)&&(g+=u);let M={x:g,width:u},
$={x:(g+Math.min(1,u*.1)).toFixed(2),width:Math.max(1,u-Math.min(2,u*.2)).toFixed(2)},C=[],w=0;for(let T of ms(y.classes))C.push(...Yh(T,$,w,a,{y:l,top:o,height:l-
Ds})),w+=T.ns;y.duration_ns>o*1.001&&C.push(De("line",{class:"cut-mark",x1:g,x2:g+u,y1:Ds+9,y2:Ds+5})),y.is_slow&&C.push(De("rect",{class:"slow",x:$.x,y:l+2,width:$.
width,height:4})),f.push(M),p.push(C),g+=u});let x=[De("line",{class:"base","aria-hidden":"true",x1:s,x2:t,y1:l+.5,y2:l+.5}),tl(f.map((y,v)=>({x:y.x,at:e[v].at})),
n-5,t),De("g",{"aria-hidden":"true"},Kh(e,f,o))];return{height:n,slots:f,shapes:p,behind:[Gh(o,{left:s,width:t,y:l,scale:a})],before:x}}function tc(e,t,n){let s=new Map(e.map(l=>[l[n],l]));for(let l of t)s.get(l[n])?.classes.push({name:l.class,ns:l.ns,low:l.low,high:l.high});return e}var nc=({pid:e,
tid:t,node:n})=>`pid = ${Number(e)} AND tid = ${Number(t)} AND ${Xt("timestamp",s=>String(Me(s)))}`+(n?` AND session IN (SELECT id FROM sessions WHERE node = ${Qt(
n)})`:""),Vo=(e,{info:t,signal:n})=>t.legacy?[]:Ze(e,1e4,n);async function sc(e,t,{info:n,origin:s,signal:l}){let o=await Vo(`WITH s AS (SELECT id, timestamp, n\
umber, duration_ns, is_slow, usual_ns, slow_class, more_ns, idle_low, idle_high,
      ntile(${t}) OVER (ORDER BY timestamp) AS part, row_number() OVER (PARTITION BY is_slow ORDER BY coalesce(more_ns, 0) DESC) AS bad
      FROM steps WHERE ${nc(e)}),
    p AS (SELECT *, row_number() OVER (PARTITION BY part ORDER BY duration_ns) AS at_place, count(*) OVER (PARTITION BY part) AS others,
      count(*) OVER () AS recorded, sum(is_slow) OVER () AS slow FROM s)
    SELECT id, timestamp - ${s} AS at, number, duration_ns, is_slow, usual_ns, slow_class, more_ns, idle_low, idle_high, recorded, slow
    FROM p WHERE at_place = (others + 1) / 2 OR (is_slow AND bad <= ${Math.ceil(t/3)}) ORDER BY timestamp`,{info:n,signal:l});if(!o.length)return[];let a=await Ze(
`SELECT step AS id, class, ns, low, high FROM step_classes WHERE step IN (${o.map(i=>Number(i.id)).join()})`,1e4,l);return tc(o.map(i=>({...i,classes:[]})),a,"i\
d")}async function lc(e,t,{info:n,origin:s,signal:l}){let o=nc(e),a=await Vo(`WITH s AS (SELECT DISTINCT timestamp FROM budget WHERE ${o}), n AS (SELECT timesta\
mp, ntile(${t}) OVER (ORDER BY timestamp) AS part FROM s),
    p AS (SELECT part, min(timestamp) AS began, count(*) AS seconds FROM n GROUP BY part)
    SELECT n.part AS id, p.began - ${s} AS at, p.seconds AS seconds, class, CAST(sum(ns) / p.seconds AS INTEGER) AS ns, CAST(sum(low) / p.seconds AS INTEGER) AS\
 low, CAST(sum(high) / p.seconds AS INTEGER) AS high
    FROM budget JOIN n USING (timestamp) JOIN p ON p.part = n.part WHERE ${o} GROUP BY n.part, class ORDER BY n.part`,{info:n,signal:l}),i=new Map(a.map(f=>[f.id,
{id:f.id,at:f.at,seconds:f.seconds,classes:[]}])),u=tc([...i.values()],a,"id");for(let f of u)f.duration_ns=f.classes.reduce((p,g)=>p+g.ns,0);return u}var oc=(e,t,{
info:n,origin:s,signal:l})=>Vo(`SELECT path, sum(ns) AS ns FROM blame WHERE pid = ${Number(e.pid)} AND step = ${Number(t.number)}
  AND timestamp - ${s} = ${Number(t.at)} GROUP BY path ORDER BY ns DESC LIMIT 3`,{info:n,signal:l});var ic="Where the steps' time went",jh=150,Jh=8,vl=e=>`${e.process.node??""}|${e.process.pid}`,Sl=({process:e})=>`${e.name||"?"} (pid ${e.pid})`,Ho=e=>e.steps?"\
step":"second",Zh=e=>Math.max(1,e.steps?e.steps.evaluated:e.interval.evaluated_ns/1e9);function rc(e,t){return t<=1.1*e?E(e):e?`${E(e)} to ${E(t)}`:`up to ${E(t)}`}
var Qh=e=>m("i",{class:`kind ${yl(e)}`,"aria-hidden":"true"}),ac=e=>e.high?rc(e.low,e.high):"",cc=e=>m("span",{},Qh(e.name),Wn(e.name));function uc(e){let t=Zh(
e),n=ms(e.classes).map(s=>({name:s.name,ns:s.ns/t,share:s.share,low:s.lost_ns.low/t,high:s.lost_ns.high/t}));return X({caption:`What a ${Ho(e)} is made of`,rows:n,
sorted:1,columns:[{head:"What the thread did",node:cc,sort:s=>Wn(s.name)},{head:`A ${Ho(e)}`,number:!0,text:s=>E(s.ns),sort:s=>s.ns},{head:"Share",number:!0,text:s=>ln(
s.share),sort:s=>s.share},{head:"Lost",number:!0,text:ac,sort:s=>s.high,title:"Meanwhile the device had nothing to do, and waited for this thread: at least and \
at most"}]})}function Xh(e,t){return e.length<2?null:m("div",{},m("h3",{},"Programs"),X({caption:"Programs; choose one to see its steps",rows:e,key:vl,chosen:t,
choose:n=>Ie({program:vl(n),step:null},!1),columns:[{head:"Program",text:n=>`${Sl(n)}${n.process.node?` on ${n.process.node}`:""}`},{head:"Verdict",text:n=>[n.verdict.
name,n.verdict.second].filter(Boolean).join(" and ")},{head:"Steps",number:!0,text:n=>L(n.steps?.count)},{head:"Usual step",number:!0,text:n=>E(n.steps?.usual_ns)},
{head:"Device idle",number:!0,text:n=>ed(n),title:"Share of the time in which the device had nothing to do, at least and at most, as far as this program's calls\
 say"}]}))}function ed(e){let[t,n]=[e.idle_ns.low,e.idle_ns.high].map(s=>ln(s/Math.max(1,e.interval.evaluated_ns)));return t===n?t:`${t} to ${n}`}var td=(e,t)=>t?
`Step ${L(e.number)}`:`${E(Math.max(0,e.at))}, ${L(e.seconds)} s`,fc=e=>e.is_slow?`slow: ${E(e.more_ns)} more ${Wn(e.slow_class)} than usual`:"";function nd(e,t){
let n=[...e.classes].sort((s,l)=>l.ns-s.ns).slice(0,3).map(s=>`${Wn(s.name)} ${E(s.ns)}`).join(", ");return t?`Step ${e.number} took ${E(e.duration_ns)}${e.is_slow?
`, ${fc(e)}`:""}; ${n}`:`A second from ${E(Math.max(0,e.at))} on; ${n}`}function sd(e,t,n){let s=new Map;for(let a of e)for(let i of a.classes)s.set(i.name,(s.get(
i.name)??0)+i.ns);let l=ms([...s].sort((a,i)=>i[1]-a[1]).slice(0,6).map(([a])=>({name:a}))),o=e.map((a,i)=>({...a,i,by:Object.fromEntries(a.classes.map(u=>[u.name,
u.ns]))}));return X({caption:t?"Steps of the picture; choose one":"Parts of the picture; choose one",rows:o,choose:a=>n(a.i),most:300,columns:[{head:t?"Step":"F\
rom",text:a=>td(a,t),sort:a=>a.at},...t?[{head:"At",number:!0,text:a=>E(a.at),sort:a=>a.at},{head:"Took",number:!0,text:a=>E(a.duration_ns),sort:a=>a.duration_ns},
{head:"Slow",text:a=>a.is_slow?Wn(a.slow_class):"",sort:a=>a.slow_class}]:[],...l.map(({name:a})=>({head:Wn(a),number:!0,text:i=>E(i.by[a]??0),sort:i=>i.by[a]??
0}))]})}async function ld(e,t,n){let s=e.slow.find(o=>o.step===t.number&&Math.abs(o.duration_ns-t.duration_ns)<1e6);return s?.blame?.length?s.blame.map(o=>o.sentence):
(await oc(e.process,t,n)).map(o=>`${E(o.ns)}: ${o.path}`)}var qo=class{constructor(t,n,s,l){Object.assign(this,{time:t,items:n,context:l,isStep:s}),this.detail=
m("div",{id:"chosen-step","aria-live":"polite"});let o=n.filter(u=>u.is_slow).sort((u,f)=>f.more_ns-u.more_ns),a=F.chosen.step??(t.verdict.of_slow_steps?o[0]?.id:
null);this.picture=nl({id:"steps",items:n,chosen:a,draw:u=>ec(n,u),onChoose:u=>this.take(u),label:this.isStep?"Steps over time, by what the thread did. Arrow ke\
ys choose one.":"Seconds over time, by what the thread did. Arrow keys choose one."});let i=u=>this.picture.choose(this.picture.chosen()<0?0:this.picture.chosen()+
u);this.bar=m("div",{class:"bar"},m("button",{onclick:()=>i(-1),title:"The column before (\u2190)"},"Earlier"),m("button",{onclick:()=>i(1),title:"The next colu\
mn (\u2192)"},"Later"),o.length?m("button",{onclick:()=>this.nextSlow()},"Next slow step"):null,m("span",{class:"quiet"},this.summary()))}summary(){let{time:t,items:n}=this;
if(!this.isStep)return`no steps were found: each column is ${n[0].seconds>1?`an average second of ${L(n[0].seconds)}`:"a second"}`;let{recorded:s,slow:l}=n[0];return`${n.
length<s?`${L(n.length)} of ${L(s)} recorded steps`:`${L(s)} recorded steps`}${t.steps?`, of ${L(t.steps.count)}`:""}; ${l?`${L(l)} of them slow`:"none of them \
slow"}`}nextSlow(){let{items:t}=this,n=this.picture.chosen();for(let s=1;s<=t.length;s++){let l=(n+s+t.length)%t.length;if(t[l].is_slow)return this.picture.choose(
l)}}take(t){Ie({step:t.id},!0),this.describe(t)}async describe(t){this.item=t;let{isStep:n,context:s}=this,l=t.classes.reduce((f,p)=>f+p.ns,0),o=n?`Step ${L(t.number)}\
 took ${E(t.duration_ns)}`:`${L(t.seconds)} s from ${E(Math.max(0,t.at))} on: a second of it`,a=m("div"),[i,u]=[t.at,t.at+(n?t.duration_ns:t.seconds*1e9)].map(f=>Lt(
s.origin+BigInt(Math.round(f))));if(this.detail.replaceChildren(m("h3",{},o),t.is_slow?m("p",{},`It was ${fc(t)} (${E(t.usual_ns)}).`):"",a,X({caption:"What it \
is made of",rows:ms(t.classes),sorted:1,columns:[{head:"What the thread did",node:cc},{head:"Time",number:!0,text:f=>E(f.ns),sort:f=>f.ns},{head:"Share",number:!0,
text:f=>ln(f.ns/l),sort:f=>f.ns},{head:"Lost",number:!0,text:ac,sort:f=>f.high}]}),n?mt([["Device had nothing to do",t.idle_high?rc(t.idle_low,t.idle_high):"0"]]):
"",m("p",{},m("a",{href:lt({view:"timeline",from:i,to:u})},"Show it on the timeline"))),!!t.is_slow)try{let f=await ld(this.time,t,s);this.item===t&&f.length&&a.
replaceChildren(m("ul",{"aria-label":"Its time was lost to"},f.map(p=>m("li",{},p))))}catch(f){f.name!=="AbortError"&&s.say(f.message)}}element(){let{items:t,picture:n}=this,
s=n.chosen();s>=0?this.describe(t[s]):this.detail.replaceChildren(m("p",{class:"quiet"},`Choose a ${this.isStep?"step":"column"} in the picture: click it, or us\
e the arrow keys. Its reason, where it is known, stands here.`));let l=o=>{n.choose(o),n.focus()};return[this.bar,n,m("p",{class:"quiet note"},m("i",{class:"kin\
d full","aria-hidden":"true"}),"full colour: lost, the device had nothing to do meanwhile; ",m("i",{class:"kind pale","aria-hidden":"true"}),"pale: it had, or m\
ay have had",t.some(o=>o.is_slow)?[". ",m("i",{class:"kind slow","aria-hidden":"true"}),"below a column: a slow step"]:"",this.isStep?". A column whose top is c\
ut is taller, as its figure says.":"."),m("div",{class:"pair"},m("div",{},m("h3",{},`A ${Ho(this.time)} on average`),uc(this.time)),this.detail),m("details",{},
m("summary",{},"The picture as a table"),sd(t,this.isStep,l))]}};async function hc(e,t){let n=e.processes;if(!n.length)return{card:U(ic,fe(e.known?"No program o\
f this part makes GPU calls.":"Not known: only a part of the calls was recorded one by one."),be(e)),close:()=>{}};let s=n.find(p=>vl(p)===F.chosen.program)??n[0],
l=Math.max(20,Math.min(jh,Math.floor((Math.min(innerWidth,1600)-120)/Jh))),o=await sc(s.process,l,t),a=o.length>0,i=(a?o:await lc(s.process,l,t)).map(p=>({...p,
label:nd(p,a)})),u=i.length?new qo(s,i,a,t):null;return{card:U(ic,n.length>1?m("p",{},m("b",{id:"program"},Sl(s))):null,u?u.element():[fe("The recording has no \
steps to draw; what they are made of on average was computed anew."),uc(s)],Xh(n,vl(s)),be(e)),close:()=>u?.picture.close()}}var pc=e=>m("span",{class:`severity ${String(e).toLowerCase()}`},e);function od(e){return e?.length?m("details",{},m("summary",{},`Where it happened: ${e[0]}`),
m("ol",{class:"frames"},e.map(t=>m("li",{},t)))):null}var id=/\d\s?(?:ns|[uµ]s|ms|s|min|h)\b/;function mc(e,t){let n=[e.lost_ns&&!id.test(e.summary)&&`${E(e.lost_ns)}\
 lost`,e.rank!==null&&e.rank!==void 0&&`rank ${e.rank}`,e.op,e.onset&&`from ${Rn(e.onset)}`,e.node];return m("article",{class:"chain"},m(t?"h3":"h4",{},pc(e.severity),
" ",e.summary),e.explanation?m("p",{},e.explanation):null,m("p",{class:"quiet"},n.filter(Boolean).join(" \xB7 ")),e.recommendations?.length?m("ul",{class:"remed\
ies","aria-label":"Remedies"},e.recommendations.map(s=>m("li",{},s))):null,m("details",{},m("summary",{},"What was measured"),m("p",{},e.root_cause),e.timeline?.
length?m("ol",{},e.timeline.map(s=>m("li",{},m("b",{},s.layer),` ${s.detail}`))):null),od(e.stack),e.onset&&e.end?m("p",{},m("a",{href:lt({view:"timeline",from:e.
onset,to:e.end,chosen:{chain:e.id}})},"Show it on the timeline")):null)}function dc(e,t){let n=e.filter(o=>t&&o.pid===t.process.pid&&(o.node??null)===(t.process.
node??null)),s=e.filter(o=>!n.includes(o)),l=(o,a)=>a.length?m("details",{},m("summary",{},o),a.map(i=>mc(i,!1))):null;return[l(`Its evidence: ${n.length} causa\
l chain${n.length===1?"":"s"}`,n),l(`Also found: ${s.length} causal chain${s.length===1?"":"s"}`,s)]}var rd=.1;function ad(e){let{verdict:t}=e,n=e.blame.filter(
l=>l.high_ns>=rd*e.blame[0].high_ns).slice(0,2),s=[...t.degree?n.map(l=>l.sentence):[],...t.because];return m("article",{class:"chain",id:"verdict"},m("h3",{},t.
sentence),m("p",{class:"quiet"},[Sl(e),e.process.node&&`on ${e.process.node}`].filter(Boolean).join(" ")),s.length?m("ul",{"aria-label":"Reasons"},s.map(l=>m("l\
i",{},l))):null,t.degree&&e.remedy?m("p",{},m("b",{},"What to do: "),e.remedy):null)}function cd(e,t){let[n]=t.chains,[s]=e.processes;return String(n?.severity).
toUpperCase()==="CRITICAL"||!s?null:s.verdict.degree||!n||String(n.severity).toUpperCase()==="LOW"?s:null}function ud(e,t,n){let s=cd(e,t),[l,...o]=t.chains,a=t.
earlier_chains??[],i=!l&&!e.processes.some(f=>f.verdict.degree),u=s?ad(s):l?mc(l,!0):null;return U("The cause",u,i?fe(n.live?"No cause has been found so far.":"\
Nothing is wrong that the rules know of."):null,s?dc(t.chains,s):dc(o,null),a.length?m("details",{},m("summary",{},`${a.length} chains that the legacy agent sto\
red`),m("ul",{},a.map(f=>m("li",{},pc(f.severity),` ${f.summary}: ${f.verdict}`)))):null,be(t))}var fd=e=>e.calls.length?U("Calls that have not returned",X({caption:"\
Calls in flight, longest first",rows:e.calls,columns:[{head:"Call",text:t=>t.call},{head:"Thread",text:t=>`${t.process??""} ${t.pid}/${t.tid}`},{head:"For",text:t=>E(
t.duration_ns),number:!0}]})):"";function hd(e){let t=e.calls.slice(0,8);return U("Where the calls' time went",t.length?X({caption:"Calls by total time",rows:t,
columns:[{head:"Call",node:n=>m("a",{href:lt({view:"operations",chosen:{op:n.call}})},n.op)},{head:"Count",text:n=>L(n.count),number:!0},{head:"Total",text:n=>E(
n.total_ns),number:!0},{head:"p50",text:n=>E(n.p50_ns),number:!0},{head:"p99",text:n=>E(n.p99_ns),number:!0},{head:"Longest",text:n=>E(n.max_ns),number:!0}]}):fe(
"No call was recorded in this part."))}var dd=e=>U("Processes",X({caption:"Processes",rows:e.processes,most:20,columns:[{head:"Process",text:t=>`${t.process??"?"}\
 ${t.pid}`},{head:"Calls",text:t=>L(t.calls),number:!0},{head:"Errors",text:t=>L(t.errors),number:!0},{head:"Host events",text:t=>L(t.host_events),number:!0},{head:"\
Longest call",text:t=>E(t.calls?t.max_ns:null),number:!0}]})),pd=(e,t)=>U("The recording",mt([["File",t.file],["Schema",t.schema],["Events in this part",L(e.events)],
["First",e.first],["Last",e.last],["Rows pruned",e.rows_pruned?L(e.rows_pruned):null],["Lost",e.lost===null?e.recording.not_ended?"not known: the recording has \
no proper end, see Capture":"not known: the legacy agent did not count it":e.lost.some(n=>n.severity!=="info")?m("a",{href:lt({view:"health"})},"something was: \
see Capture"):"nothing"]]),be(e)),md=e=>e.catch(t=>{if(!(t instanceof Ot)||t.status<500)throw t;return{known:!1,processes:[],cut:[t.message]}});async function gd(e,t){
let{info:n,signal:s,show:l}=t,[o,a,i,...u]=["The cause","Where the steps' time went",null,"Where the calls' time went","Processes","The recording"].map(y=>e.appendChild(
y?U(y,lo()):m("div",{hidden:!0})));l();async function f(y,v,M){try{(await M(await v)).forEach((C,w)=>y[w].replaceWith(C))}catch($){if(!($ instanceof Ot)||$.status<
500)throw $;for(let C of y.filter(w=>!w.hidden))C.querySelector(".waiting").replaceWith(m("p",{role:"alert"},$.message))}}let p=()=>{},g=md(pe("get_time_spent",
{...Fe(),limit:20},s)),x=pe("get_causal_chains",{...Fe(),top_n:20},s);return await Promise.all([f([o],x,async y=>[ud(await g,y,n)]),f([a],g,async y=>{let v=await hc(
y,t);return p=v.close,[v.card]}),f([i],pe("get_calls_in_flight",{...Fe(),limit:5},s),y=>[fd(y)]),f(u,pe("get_trace_stats",Fe(),s),y=>[hd(y),dd(y),pd(y,n)])]),()=>p()}
var gc={name:"overview",title:"Overview",draw:gd};var Go=()=>Xt("timestamp",e=>String(Me(e))),Uo=e=>e==="bytes"?Le:t=>t==null?"\u2013":Zt(t),wd=["","down","initialising","armed","active","deferred"];async function wc(e,t){
let n=await Ze(t,1e4,e.signal);return{times:n.map(s=>s.at),values:n.map(s=>s.value)}}async function bd(e,t){let n=await pe("get_fabric",Fe(),t.signal),s=bc(t);if(!n.
known||!n.links.length&&!n.counters.length)e.append(U("Fabric",fe("No adapter was sampled: there was none, or an earlier agent recorded this."),be(n)));else{e.append(
U("Links",X({caption:"Links",rows:n.links,columns:[{head:"Adapter",text:i=>`${i.device}, port ${i.port}`},{head:"Layer",text:i=>i.link_layer??""},{head:"State",
text:i=>wd[i.state]??String(i.state??"\u2013")},{head:"Changes",number:!0,text:i=>L(i.changes)}]})));let l=i=>`${i.device}|${i.port??""}|${i.origin}|${i.name}`,
o=n.counters.find(i=>l(i)===F.chosen.counter),a=null;if(o){let i=await wc(t,`SELECT timestamp - ${t.origin} AS at, value FROM fabric_samples WHERE device = ${Qt(
o.device)} AND name = ${Qt(o.name)}
        AND origin = ${Qt(o.origin)} AND port IS ${o.port??"NULL"} AND ${Go()} ORDER BY timestamp`);a=_n({label:o.name,times:i.times,series:[{name:o.name,values:i.
values}],text:Uo(o.unit),timeText:E}),e.append(U(`${o.device}: ${o.name}`,a))}return e.append(U("Counters",X({caption:"Counters; choose one to see it over time",
rows:n.counters,sorted:3,key:l,chosen:F.chosen.counter??null,choose:i=>Ie({counter:l(i)},!1),columns:[{head:"Counter",text:i=>i.name,sort:i=>i.name},{head:"Adap\
ter",text:i=>i.device,sort:i=>i.device},{head:"Port",text:i=>i.port??""},{head:"Grew by",number:!0,text:i=>Uo(i.unit)(i.grew_by),sort:i=>i.grew_by},{head:"Value",
number:!0,text:i=>Uo(i.unit)(i.value),sort:i=>i.value},{head:"Resets",number:!0,text:i=>i.resets?L(i.resets):""}]}),be(n))),a&&e.prepend(a.parentNode),Yo(a,await s,
e)}return Yo(null,await s,e)}var Yo=(e,t,n)=>(t&&n.append(t.card),()=>{e?.close(),t?.chart.close()});async function bc(e){let t=await Ze(`SELECT timestamp - ${e.
origin} AS at, cpu_pct, mem_pct FROM system_snapshots WHERE ${Go()} ORDER BY timestamp`,1e4,e.signal);if(t.length<2)return null;let n=_n({label:"The host",times:t.
map(s=>s.at),text:s=>s==null?"\u2013":`${Math.round(s)} %`,timeText:E,height:160,series:[{name:"CPU",values:t.map(s=>s.cpu_pct)},{name:"Memory",values:t.map(s=>s.
mem_pct)}]});return{chart:n,card:U("The host",n)}}async function xd(e,t){let n=await pe("get_devices",Fe(),t.signal),s=bc(t);e.append(U("Devices",n.devices.length?
X({caption:"Devices",rows:n.devices,columns:[{head:"Device",text:i=>i.name??"?"},{head:"Driver",text:i=>i.driver??"\u2013"},{head:"UUID",text:i=>i.uuid??"\u2013"},
{head:"PCI address",text:i=>i.pci_address??"\u2013"}]}):fe("No device was seen."),n.known?null:fe("The recording has no readings: an earlier agent made it."),be(
n)));let l=i=>`${i.uuid??i.pci_address}|${i.name}|${i.part}`,o=n.readings.find(i=>l(i)===F.chosen.reading),a=null;if(o){let i=await wc(t,`SELECT timestamp - ${t.
origin} AS at, value FROM device_samples WHERE uuid IS ${Qt(o.uuid)} AND pci_address IS ${Qt(o.pci_address)}
      AND name = ${Qt(o.name)} AND part = ${Qt(o.part)} AND ${Go()} ORDER BY timestamp`);a=_n({label:o.name,times:i.times,series:[{name:o.name,values:i.values}],
text:Zt,timeText:E}),e.append(U(o.name.replaceAll("_"," "),a))}return n.readings.length&&e.append(U("Readings",X({caption:"Readings; choose one to see it over t\
ime",rows:n.readings,key:l,chosen:F.chosen.reading??null,choose:i=>Ie({reading:l(i)},!1),columns:[{head:"Reading",text:i=>`${i.name.replaceAll("_"," ")}${i.part?
` (${i.part})`:""}`,sort:i=>i.name},{head:"Device",text:i=>i.uuid??i.pci_address??"?",sort:i=>i.uuid},{head:"Last",number:!0,text:i=>i.last===null?"\u2013":Zt(i.
last)},{head:"Least",number:!0,text:i=>Zt(i.min)},{head:"Average",number:!0,text:i=>Zt(i.avg)},{head:"Most",number:!0,text:i=>Zt(i.max)},{head:"Samples",number:!0,
text:i=>L(i.samples)}]}))),n.processes.length&&e.append(U("Memory by process",X({caption:"Memory by process",rows:n.processes,columns:[{head:"Process",text:i=>i.
pid},{head:"Device",text:i=>i.device},{head:"Memory",number:!0,text:i=>Le(i.memory_bytes)}]}))),n.errors.length&&e.append(U("Errors of drivers",X({caption:"Erro\
rs of drivers",rows:n.errors,columns:[{head:"Kind",text:i=>`${i.kind} ${i.code??""}`},{head:"Meaning",text:i=>i.meaning??""},{head:"Process",text:i=>i.process??
""},{head:"Message",text:i=>i.message}]}))),Yo(a,await s,e)}var xc={name:"fabric",title:"Fabric",draw:bd},_c={name:"devices",title:"Devices",draw:xd};var yc=.5,vc=4,kl=class{constructor(t,n){this.context=t,this.onNews=n,this.lanes=[],this.views=new Map,this.cut=[],this.abort=null}text(t){return Lt(this.context.
origin+BigInt(Math.round(t)))}async want(t,n,s,l){let o=n-t,a={from:Math.max(-1e9,t-yc*o),to:n+yc*o},i=s.filter(p=>{let g=this.views.get(p);return!g||g.asked.from>
t||g.asked.to<n?!0:g.bins.length>0&&g.asked.to-g.asked.from>3*o});if(this.lanes.length&&i.length===0||this.abort)return;let u=new AbortController;this.abort=u;let f=await pe(
"get_timeline",{from:this.text(a.from),to:this.text(a.to),bins:Math.min(1e3,Math.max(50,Math.round(l))),...s.length?{lanes:s.slice(0,48)}:{}},u.signal).finally(
()=>{this.abort=null});this.take(f,a),this.onNews()}take(t,n){this.lanes=t.lanes,this.cut=t.cut.filter(l=>!l.includes("`"));let s=t.from?Number(Me(t.from)-this.
context.origin):0;for(let l of t.views){let o=new Set(l.failed);this.views.set(l.lane,{asked:n,from:s,binNs:l.bins.length?t.bin_ns:0,bins:l.bins,ops:t.ops,slices:l.
start_ns.map((a,i)=>({start:s+a,duration:l.duration_ns[i],op:t.ops[l.op[i]],depth:l.depth[i],seq:l.seq[i],failed:o.has(l.seq[i])}))})}}kinds(){let t=new Set;for(let n of this.
views.values()){for(let s of n.slices)t.add(s.op.kind);for(let s=0;s<n.bins.length;s+=vc)t.add(n.ops[n.bins[s+vc-1]].kind)}return[...t].sort()}hasFailed(){return[
...this.views.values()].some(t=>t.slices.some(n=>n.failed))}forget(){this.views.clear()}};var Sc=100,an=(e,t,n)=>Math.min(n,Math.max(t,e));function Ko(e){return e.group==="thread"?`thread ${e.tid}`:e.group==="stream"?e.stream===0?"default stream":`st\
ream ${BigInt(e.stream).toString(16)}`:e.group==="rank"?e.rank===null?`rank unknown (pid ${e.pid})`:`rank ${e.rank}${e.nranks?` of ${e.nranks}`:""}`:e.op}var jo=e=>`${e.
process||"?"} ${e.pid}${e.node?` on ${e.node}`:""}`;function _d(e,t){let n=[];t.length&&n.push({title:"Causes",chains:t});let s=null;for(let l of e){let o=l.group===
"rank"?"Collectives by rank":jo(l);o!==s&&n.push({heading:o}),s=o,n.push({lane:l,title:Ko(l)})}return n}var Jo=class{constructor(t,n){this.context=n,this.data=new kl(
n,()=>{this.arrange(),this.schedule()}),this.chains=[],this.lines=[],this.top=0,this.frames=[],this.canvas=m("canvas",{tabindex:"0",role:"application",id:"lanes",
"aria-roledescription":"timeline","aria-label":"Timeline. Arrow keys move, plus and minus zoom, comma and period choose calls; ? lists the keys.","aria-describe\
dby":"chosen-call"}),this.detail=m("div",{id:"chosen-call","aria-live":"polite"}),this.scroller=m("div",{class:"lanes"},this.canvas),this.where=m("span",{class:"\
quiet"});let s=(l,o,a)=>m("button",{onclick:o,title:a?`${l} (${a})`:l},l);this.cutList=m("div"),this.legend=m("ul",{class:"legend","aria-label":"Colours"}),t.append(
m("section",{class:"card"},m("h2",{},"Timeline"),m("div",{class:"bar"},s("Closer",()=>this.zoom(.5),"+"),s("Farther",()=>this.zoom(2),"\u2212"),s("Earlier",()=>this.
pan(-.3),"\u2190"),s("Later",()=>this.pan(.3),"\u2192"),s("Whole",()=>this.whole(),"0"),this.where),this.scroller,this.legend,this.cutList),U("The chosen call",
this.detail)),this.listen()}drawLegend(){let t=this.data.kinds();this.legend.replaceChildren(...t.map(n=>m("li",{},m("i",{class:`kind ${n}`}),n)),...this.chains.
length?[m("li",{},m("i",{class:"kind chain"}),"cause")]:[],...this.data.hasFailed()?[m("li",{},m("i",{class:"kind failed"}),"failed")]:[])}async start(){let{context:t}=this,
n=(o,a)=>o&&Me(o)!==null?Number(Me(o)-t.origin):a,s=Math.max(t.spanNs,1e3);this.from=n(F.from,-.01*s),this.to=Math.max(this.from+Sc,n(F.to,1.01*s)),this.lane=F.
chosen.lane??null,this.chosen=F.chosen.call?Number(F.chosen.call):null;let l=await pe("get_causal_chains",{top_n:-1},t.signal);this.chains=l.chains.filter(o=>o.
onset&&Me(o.onset)!==null).map(o=>({...o,from:Number(Me(o.onset)-t.origin),to:o.end?Number(Me(o.end)-t.origin):t.spanNs})),await this.data.want(this.from,this.to,
[],800),this.cutList.replaceChildren(be(this.data)??""),this.chosen!==null?await this.describe():F.chosen.chain?this.describeChain(this.chains.find(o=>o.id===F.
chosen.chain)):this.detail.replaceChildren(m("p",{class:"quiet"},"None. Click one, or press comma or period on the timeline."))}arrange(){this.lines=_d(this.data.
lanes,this.chains),this.drawLegend()}resize(){let t=this.scroller.clientWidth;if(!t)return;this.left=t<600?88:190,this.height=an(kt+this.lines.length*Pe+6,160,Math.
max(260,innerHeight-330));let n=devicePixelRatio||1;this.canvas.width=Math.round(t*n),this.canvas.height=Math.round(this.height*n),this.canvas.style.height=`${this.
height}px`,this.width=t-this.left,this.ratio=n,this.schedule()}schedule(){this.due||this.closed||(this.due=requestAnimationFrame(()=>{this.due=0,this.draw()}))}draw(){
if(!this.width)return;if(an(kt+this.lines.length*Pe+6,160,Math.max(260,innerHeight-330))!==this.height)return this.resize();let n=performance.now(),s=this.canvas.
getContext("2d");s.setTransform(this.ratio,0,0,this.ratio,0,0),s.fillStyle=ve("card"),s.fillRect(0,0,this.left+this.width,this.height);let l={from:this.from,to:this.
to,left:this.left,width:this.width,height:this.height,lane:this.lane,chosen:this.chosen,chain:F.chosen.chain};this.top=an(this.top,0,Math.max(0,this.lines.length*
Pe-(this.height-kt))),Fa(s,l),s.save(),s.beginPath(),s.rect(0,kt,this.left+this.width,this.height-kt),s.clip();let o=this.seen();s.save(),Ba(s,o,this.data.views,
l),s.restore(),this.drawTitles(s,o),s.restore(),this.where.textContent=`${E(this.to-this.from)} from ${E(Math.max(0,this.from))} on`,this.frames.push(performance.
now()-n),this.frames.length>2e3&&this.frames.splice(0,1e3),this.canvas.frames=this.frames,this.ask()}seen(){let t=Math.floor(this.top/Pe);return this.lines.slice(
t,t+Math.ceil((this.height-kt)/Pe)+1).map((n,s)=>({line:n,y:kt+(t+s)*Pe-this.top}))}drawTitles(t,n){t.textBaseline="middle";let s=this.left<120;for(let{line:l,y:o}of n){
t.font=`${l.heading?"600 ":""}${s?11:12}px system-ui, sans-serif`;let a=l.heading??l.title,i=l.heading?t.measureText(a).width+8:this.left;t.fillStyle=l.lane&&l.
lane.lane===this.lane?ve("chosen"):ve("card"),t.fillRect(0,o,i,Pe),t.fillStyle=l.heading?ve("ink"):ve("quiet");let u=l.heading||s?2:12;l.heading?t.fillText(a,u,
o+Pe/2):t.fillText(a,u,o+Pe/2,this.left-u-4)}}ask(){this.asking||(this.asking=setTimeout(async()=>{this.asking=0;let t=this.seen().map(({line:n})=>n.lane?.lane).
filter(Boolean).slice(0,48);if(t.length)try{await this.data.want(this.from,this.to,t,this.width)}catch(n){n.name!=="AbortError"&&this.context.say(n.message)}},60))}move(t,n){
let s=Math.max(this.context.spanNs,1e3),l=an(n-t,Sc,1.5*s),o=an((t+n)/2,-.2*s,1.2*s);this.from=o-l/2,this.to=o+l/2,this.schedule(),clearTimeout(this.noting),this.
noting=setTimeout(()=>{mn({from:this.data.text(this.from),to:this.data.text(this.to),chosen:this.selection()},!0),this.context.header()},250)}selection(){return{
lane:this.lane,call:this.chosen,chain:F.chosen.chain}}zoom(t,n=.5){let s=this.to-this.from,l=this.from+n*s;this.move(l-n*s*t,l+(1-n)*s*t)}pan(t){let n=t*(this.to-
this.from);this.move(this.from+n,this.to+n)}whole(){let t=Math.max(this.context.spanNs,1e3);this.move(-.01*t,1.01*t)}chooseLane(t){let n=this.lines.map((i,u)=>({
line:i,i:u})).filter(({line:i})=>i.lane);if(!n.length)return;let s=n.findIndex(({line:i})=>i.lane.lane===this.lane),l=n[an(s<0?0:s+t,0,n.length-1)];this.lane=l.
line.lane.lane;let o=l.i*Pe,a=this.height-kt-Pe;this.top=an(this.top,o-a,o),this.context.say(`${Ko(l.line.lane)}, ${jo(l.line.lane)}, ${L(l.line.lane.events)} e\
vents`),Ie(this.selection()),this.schedule()}chooseCall(t){this.lane||this.chooseLane(0);let n=this.data.views.get(this.lane)?.slices??[];if(!n.length){this.context.
say(this.data.views.get(this.lane)?.bins.length?"Too many calls to choose one here: zoom closer.":"No call here.");return}let s=n.findIndex(o=>o.seq===this.chosen),
l=s>=0?s+t:Math.max(0,n.findIndex(o=>o.start>=this.from));this.take(n[an(l,0,n.length-1)])}take(t){if(this.chosen=t?.seq??null,t&&(t.start>this.to||t.start+(t.duration??
0)<this.from)){let n=(this.to-this.from)/2;this.move(t.start-n,t.start+n)}Ie({...this.selection(),chain:null}),this.schedule(),this.describe()}async describe(){
let t=this.chosen;if(t!==null)try{let[n]=await Ze(`SELECT op_name, call, kind, layer, comm, pid, tid, duration, outcome, ret_code, failed, bytes, direction, str\
eam, kernel, gpu_id,
        library, parent_call, preempted_ns, runqueue_ns, blocked_ns, io_ns, culprit_comm, culprit_pid, culprit_ns FROM events WHERE seq = ${Number(t)}`,1);if(t!==
this.chosen||!n)return;let s=[["preempted",n.preempted_ns],["waiting for a CPU",n.runqueue_ns],["blocked",n.blocked_ns],["on I/O",n.io_ns]];this.detail.replaceChildren(
m("h3",{},n.op_name),mt([["Took",E(n.duration)],["Call",n.call],["Process",`${n.comm??"?"} ${n.pid}`],["Thread",n.tid],["Outcome",n.failed?`${n.outcome}, failed\
 (${n.ret_code})`:n.outcome],["Bytes",n.bytes===null?null:Le(n.bytes)],["Direction",n.direction],["Stream",n.stream===null?null:`0x${BigInt.asUintN(64,BigInt(n.
stream)).toString(16)}`],["Kernel",n.kernel],["Device",n.gpu_id],["Library",n.library],["Made inside",n.parent_call],["Off the CPU",s.filter(([,l])=>l).map(([l,
o])=>`${E(o)} ${l}`).join(", ")],["Meanwhile ran",n.culprit_comm?`${n.culprit_comm} ${n.culprit_pid}, ${E(n.culprit_ns)}`:null]]))}catch(n){n.name!=="AbortError"&&
this.context.say(n.message)}}describeChain(t){t&&this.detail.replaceChildren(m("h3",{},`${t.severity}: ${t.summary}`),m("p",{},t.root_cause),m("p",{class:"quiet"},
`from ${Rn(t.onset)} to ${Rn(t.end)}`))}at(t){let n=this.canvas.getBoundingClientRect(),[s,l]=[t.clientX-n.left,t.clientY-n.top],o=an((s-this.left)/this.width,0,
1);return{x:s,y:l,part:o,time:this.from+o*(this.to-this.from),line:this.lines[Math.floor((l-kt+this.top)/Pe)]}}click(t){let{line:n,time:s}=this.at(t);if(n?.chains){
let a=4*(this.to-this.from)/this.width,i=n.chains.find(u=>u.from-a<=s&&s<=u.to+a);i&&(this.chosen=null,Ie({...this.selection(),chain:i.id}),this.describeChain(i),
this.schedule());return}if(!n?.lane)return;this.lane=n.lane.lane;let l=3*(this.to-this.from)/this.width,o=null;for(let a of this.data.views.get(this.lane)?.slices??
[]){if(a.start-l>s)break;a.start+(a.duration??1/0)+l>=s&&(!o||a.depth>=o.depth)&&(o=a)}o?this.take(o):(Ie(this.selection()),this.context.say(`${Ko(n.lane)}, ${jo(
n.lane)}`),this.schedule())}listen(){let{canvas:t}=this;t.addEventListener("wheel",s=>{s.preventDefault(),s.ctrlKey||s.metaKey?this.zoom(Math.exp(s.deltaY/300),
this.at(s).part):s.shiftKey||Math.abs(s.deltaX)>Math.abs(s.deltaY)?this.pan((s.deltaX||s.deltaY)/this.width):this.lines.length*Pe>this.height-kt?(this.top+=s.deltaY,
this.schedule()):scrollBy(0,s.deltaY)},{passive:!1});let n=null;t.addEventListener("pointerdown",s=>{n={x:s.clientX,y:s.clientY,from:this.from,to:this.to,top:this.
top,moved:!1},t.setPointerCapture(s.pointerId)}),t.addEventListener("pointermove",s=>{if(!n)return;let[l,o]=[s.clientX-n.x,s.clientY-n.y];if(!n.moved&&Math.hypot(
l,o)<4)return;n.moved=!0;let a=-(l/this.width)*(n.to-n.from);this.top=n.top-o,this.move(n.from+a,n.to+a)}),t.addEventListener("pointerup",s=>{n&&!n.moved&&this.
click(s),n=null}),t.addEventListener("pointercancel",()=>{n=null}),t.addEventListener("keydown",s=>this.key(s)),this.observer=new ResizeObserver(()=>this.resize()),
this.observer.observe(this.scroller),this.scheme=matchMedia("(prefers-color-scheme: dark)"),this.onScheme=()=>{Wo(),this.schedule()},this.scheme.addEventListener(
"change",this.onScheme)}key(t){if(t.altKey||t.metaKey)return;let n=()=>(this.data.views.get(this.lane)?.slices??[]).find(l=>l.seq===this.chosen),s={ArrowLeft:()=>this.
pan(t.shiftKey?-.5:-.1),ArrowRight:()=>this.pan(t.shiftKey?.5:.1),ArrowUp:()=>t.ctrlKey?this.zoom(.7):this.chooseLane(-1),ArrowDown:()=>t.ctrlKey?this.zoom(1.4):
this.chooseLane(1),"+":()=>this.zoom(.6),"=":()=>this.zoom(.6),"-":()=>this.zoom(1.6),",":()=>this.chooseCall(-1),".":()=>this.chooseCall(1),0:()=>this.whole(),
Home:()=>this.move(0,this.to-this.from),End:()=>this.move(this.context.spanNs-(this.to-this.from),this.context.spanNs),Enter:()=>{let l=n();l&&this.move(l.start-
.2*Math.max(l.duration??0,1e3),l.start+1.2*Math.max(l.duration??0,1e3))}};s[t.key]&&(t.preventDefault(),t.stopPropagation(),s[t.key]())}close(){this.closed=!0,cancelAnimationFrame(
this.due),clearTimeout(this.asking),clearTimeout(this.noting),this.data.abort?.abort(),this.observer.disconnect(),this.scheme.removeEventListener("change",this.
onScheme)}},ft=null;async function yd(e,t){Wo();let n=new Jo(e,t);try{await n.start()}catch(s){throw n.close(),s}return n.arrange(),ft=n,()=>n.close()}async function vd(e){
if(!ft||ft.closed)return;let t=ft.to>=ft.context.spanNs;if(ft.context.spanNs=e.spanNs,ft.data.forget(),!F.from&&!F.to)ft.from=-.01*e.spanNs,ft.to=1.01*e.spanNs;else if(t&&
ft.to<e.spanNs){let n=ft.to-ft.from;ft.from=e.spanNs-n,ft.to=e.spanNs+.01*n}ft.schedule()}var kc={name:"timeline",title:"Timeline",draw:yd,refresh:vd};var Ps=[gc,Za,kc,fr,ja,cr,Ya,xc,_c,hr],Sd=2e3,Qe=document.getElementById("main"),Is=document.getElementById("notice"),kd=document.getElementById("status"),Xe={info:null,
origin:0n,spanNs:0,say:e=>{kd.textContent=e},header:()=>Fn()},Et=null,El=!0,Ed=new Qs(Ps,()=>{El=!El,Fn()}),Fn=()=>Ed.draw(Xe,El),Ws=()=>Ps.find(e=>e.name===F.view)??
Ps[0],Ec=(e,t)=>e.file===t.file&&e.schema===t.schema&&e.legacy===t.legacy;async function Md(){let e=await pe("get_trace_stats"),{file:t,live:n,earlier_agent:s,schema:l}=e.
recording,o=Xe.info;return Xe.info={file:t,live:n,legacy:s,schema:l,first:e.first,last:e.last,events:e.events},Xe.origin=Me(e.first)??0n,Xe.spanNs=e.last?Number(
Me(e.last)-Xe.origin):0,!o||Ec(o,Xe.info)&&(o.first??e.first)===e.first}Pi(e=>{let{info:t}=Xe;if(!(!t||Ec(t,{...e,legacy:e.earlier_agent})&&(t.live||!e.live)))throw $d(),
new DOMException("the server has another recording now","AbortError")});function Ml(){Et?.abort.abort(),Et?.close?.(),Et=null}function $d(){Ml(),Xe.info=null,Fn(),
Fs(Ws()),Xo()}function Fs(e){Is.hidden=!0,Xe.say(""),Qe.replaceChildren(ji(e.title)),Qe.setAttribute("aria-busy","true"),so()}async function Mc(e=!1){let t=Ws(),
n=Et,s={view:t,part:`${F.from} ${F.to}`,abort:new AbortController},l=n!==null&&n.view===t&&(e||n.part===s.part);n?.abort.abort(),l||Ml(),Et=s,Fn(),l?e||(Qe.setAttribute(
"aria-busy","true"),so()):Fs(t);let o=m("div",{class:`view ${t.name}`,id:"view",role:"tabpanel","aria-labelledby":`tab-${t.name}`}),a=()=>{Et===s&&!l&&Qe.replaceChildren(
o)};try{if(s.close=await t.draw(o,{...Xe,signal:s.abort.signal,show:a}),Et!==s){s.close?.();return}Is.hidden=!0}catch(i){if(Et!==s||i.name==="AbortError")return;
if(i instanceof Ot&&i.status===401)return ei(i.message);o.replaceChildren(),Qo(i)}l&&n.close?.(),l&&!Qe.contains(o)?Zi(Qe.firstElementChild,o):Qe.contains(o)||Qe.
replaceChildren(o),Qe.removeAttribute("aria-busy"),Xs()}function Qo(e){Is.textContent=e instanceof Ot?e.message:`This page failed: ${e.message}`,Is.hidden=!1,e instanceof
Ot||console.error(e)}var Td=()=>Qe.hasAttribute("aria-busy")||Qe.querySelector(":active, input:focus, select:focus")!==null,Zo=0;async function Xo(){let e=++Zo,
t=!Xe.info||Xe.info.live&&El&&!document.hidden;try{if(t){let n=!Xe.info,s=await Md();if(e!==Zo)return;Is.hidden=!0,s||Ml(),Et?.view.refresh&&!n?(Fn(),await Et.view.
refresh(Xe)):(!Et||!Td())&&await Mc(Et!==null)}}catch(n){if(n.name==="AbortError")return;if(n.status===401)return ei(n.message);Xe.info||(Qe.replaceChildren(),Qe.
removeAttribute("aria-busy"),Xs()),Qo(n)}setTimeout(()=>e===Zo&&Xo(),Sd)}async function ei(e){Ml(),Xe.info=null,Fs(Ws());try{(e!==void 0||await Wi())&&(Qe.removeAttribute(
"aria-busy"),Xs(),await Fi(Qe,e??""),document.activeElement?.blur(),Fs(Ws()))}catch(t){Qo(t)}Xo()}addEventListener("keydown",e=>qi(e,Ps,Et?.view));document.getElementById(
"skip").addEventListener("click",e=>{e.preventDefault(),Qe.focus()});zi(()=>{if(Xe.info)return Mc().then(()=>{document.activeElement===document.body&&Qe.focus({
preventScroll:!0})});Fn(),Qe.hasAttribute("aria-busy")&&Fs(Ws())});Vi();Hi(Ps);Fn();ei();
