// Made by serve/page/build.mjs from serve/page/source/: change those.
function p(e,t={},...n){let s=document.createElement(e);for(let[l,o]of Object.entries(t))o==null||o===!1||(l.startsWith("on")?s.addEventListener(l.slice(2),o):s.
setAttribute(l,o===!0?"":String(o)));for(let l of n.flat(2))l==null||l===!1||s.append(l instanceof Node?l:document.createTextNode(String(l)));return s}var ks="\u2013",
Js=e=>e!=null;function Ri(e){let t=Math.abs(e);return t>=100?e.toFixed(0):t>=10?e.toFixed(1):e.toFixed(2)}var tu=[["s",1e9],["ms",1e6],["\xB5s",1e3]];function M(e){
if(!Js(e))return ks;let t=Math.abs(e);if(t===0)return"0";if(t>=36e11)return`${(e/36e11).toFixed(1)} h`;if(t>=12e10)return`${(e/6e10).toFixed(1)} min`;for(let[n,
s]of tu)if(t>=s)return`${Ri(e/s)} ${n}`;return`${Math.round(e)} ns`}function Le(e){if(!Js(e))return ks;for(let[t,n]of[["TB",1e12],["GB",1e9],["MB",1e6],["kB",1e3]])
if(Math.abs(e)>=n)return`${Ri(e/n)} ${t}`;return`${e} B`}function L(e){return Js(e)?Number(e).toLocaleString("en"):ks}function Zt(e){for(let[t,n]of[["T",1e12],[
"G",1e9],["M",1e6],["k",1e3]])if(Math.abs(e)>=n)return`${+(e/n).toPrecision(3)}${t}`;return String(+e.toPrecision(3))}function ln(e){return Js(e)&&Number.isFinite(
e)?`${(100*e).toFixed(e<.1?1:0)} %`:ks}function Me(e){let t=/^(.*?)(?:\.(\d{1,9}))?Z$/.exec(e??""),n=t?Date.parse(`${t[1]}Z`):NaN;return Number.isNaN(n)?null:BigInt(
n)*1000000n+BigInt((t[2]??"").padEnd(9,"0"))}function Ot(e){let t=e/1000000000n;return`${new Date(Number(t)*1e3).toISOString().slice(0,19)}.${String(e-t*1000000000n).
padStart(9,"0")}Z`}function Rn(e){return e?e.slice(11,23).replace("Z",""):ks}var Es="ingero-token",mt=class extends Error{constructor(t,n,s){super(s),this.status=t,this.word=n}},nu=/"(?:[^"\\]|\\.)*"|(?<![\d.])-?\d{16,}(?![\d.eE])/g,su=e=>JSON.
parse(e.replace(nu,t=>t[0]==='"'||Number.isSafeInteger(Number(t))?t:`"${t}"`));async function Li(e,t,n,s){let l=sessionStorage.getItem(Es),o=l?{Authorization:`B\
earer ${l}`}:{};n!==void 0&&(o["Content-Type"]="application/json");let a;try{a=await fetch(t,{method:e,headers:o,body:n,signal:s,credentials:"omit",cache:"no-st\
ore"})}catch(u){throw u.name==="AbortError"?u:new mt(0,"gone","the server does not answer")}let i;try{i=su(await a.text())}catch(u){if(u.name==="AbortError")throw u;
if(a.ok)throw new mt(a.status,"internal",`the server's answer cannot be read: ${u.message}`);i={error:`status ${a.status}`,class:"internal"}}if(!a.ok)throw new mt(
a.status,i.class,i.error);return i}var lu={get_trace_stats:"the figures of all calls",get_time_spent:"where the time went",get_causal_chains:"the causes",get_calls_in_flight:"\
calls that have not returned",get_distributions:"distributions",get_timeline:"the timeline",get_stacks:"stacks",get_memory:"memory by call site",get_collectives:"\
collectives",get_inference:"steps of inference",get_fabric:"counters of the fabric",get_devices:"readings of devices"},Jl=new Set,Zl=[],Oi=()=>{},Ni=e=>Zl.push(
e),Di=()=>[...new Set([...Jl].map(e=>e.about))],Pi=e=>{Oi=e};async function pe(e,t={},n=void 0){let s={about:lu[e]??"rows"};Jl.add(s);for(let l of Zl)l();try{let l=await Li(
"POST",`/api/v1/tools/${e}`,JSON.stringify(t),n);return n?.throwIfAborted(),l.recording&&Oi(l.recording),l}finally{Jl.delete(s);for(let l of Zl)l()}}var Ii=e=>Li(
"GET",e);async function Qe(e,t=1e3,n=void 0){let s=await pe("run_sql",{query:e,limit:t},n);return s.data.map(l=>Object.fromEntries(l.map((o,a)=>[s.columns[a],o])))}
async function Wi(){let{asks_token:e}=await Ii("/page.json");return e&&!sessionStorage.getItem(Es)}function Fi(e,t){return sessionStorage.removeItem(Es),new Promise(
n=>{let s=p("input",{id:"token",type:"password",autocomplete:"off",spellcheck:"false",required:!0}),l=p("p",{role:"alert"},t),o=p("form",{class:"card login"},p(
"h2",{},"Token"),p("p",{},"The server was started with a token, and shows the recording to those who have it. It is kept in this tab only."),p("label",{for:"tok\
en"},"Bearer token"),s,p("button",{type:"submit"},"Open"),l);o.addEventListener("submit",async a=>{a.preventDefault(),sessionStorage.setItem(Es,s.value);try{await Ii(
"/api/v1/health"),n()}catch(i){sessionStorage.removeItem(Es),l.textContent=i.status===401?"That is not the token.":i.message,s.select()}}),e.replaceChildren(o),
s.focus()})}var F={view:"overview",from:null,to:null,chosen:{}},Bi=[],zi=e=>Bi.push(e);function Ql(){let[e,t=""]=location.hash.replace(/^#\/?/,"").split("?"),n=new URLSearchParams(
t);F.view=e||"overview",F.from=n.get("from"),F.to=n.get("to"),n.delete("from"),n.delete("to"),F.chosen=Object.fromEntries(n)}function lt({view:e=F.view,from:t=F.
from,to:n=F.to,chosen:s={}}={}){let l=new URLSearchParams;t&&l.set("from",t),n&&l.set("to",n);for(let[a,i]of Object.entries(s))i!=null&&l.set(a,i);let o=l.toString();
return`#/${e}${o?`?${o}`:""}`}function mn(e,t=!1){let n=lt(e);if(n!==location.hash){if(!t){location.hash=n;return}history.replaceState(null,"",n),Ql()}}var Ie=(e,t=!0)=>mn(
{chosen:{...F.chosen,...e}},t),Be=()=>({...F.from&&{from:F.from},...F.to&&{to:F.to}}),Qt=e=>e==null?"NULL":`'${String(e).replaceAll("'","''")}'`;function Xt(e,t){
let n=[];return F.from&&n.push(`${e} >= ${t(F.from)}`),F.to&&n.push(`${e} <= ${t(F.to)}`),n.length?n.join(" AND "):"1"}function Vi(){Ql(),addEventListener("hash\
change",()=>{Ql();for(let e of Bi)e()})}var eo=e=>(e+1).toString(36),ou=[["1 to 9, a","the views, in their order"],["0","the whole recording"],["?","this list"],["Escape","closes it"]],iu=[["\u2190 \u2192",
"earlier, later"],["+ \u2212","closer, farther (also \u2191 \u2193 with Ctrl, or the wheel with Ctrl)"],["\u2191 \u2193","the lane above, below"],[", .","the pr\
evious, the next call of the lane"],["Enter","as close as the chosen call"],["Home End","the beginning, the end"]],ru=[["\u2190 \u2192","the column before, the \
next"],["Page Up, Page Down","a tenth of them earlier, later"],["Home End","the first, the last"]],Zs=document.getElementById("keys"),Xl=(e,t)=>[p("h3",{},e),p(
"dl",{class:"keys"},t.map(([n,s])=>p("div",{},p("dt",{},p("kbd",{},n)),p("dd",{},s))))];function Hi(){Zs.replaceChildren(p("h2",{id:"keys-title"},"Keys"),...Xl(
"Everywhere",ou),...Xl("On the timeline",iu),...Xl("On steps and ranks",ru),p("button",{onclick:()=>Zs.close()},"Close"))}var au=e=>e instanceof HTMLElement&&(e.
isContentEditable||/^(INPUT|SELECT|TEXTAREA)$/.test(e.tagName));function qi(e,t){if(e.ctrlKey||e.metaKey||e.altKey||au(e.target)||Zs.open)return;let n=t.findIndex(
(s,l)=>eo(l)===e.key);if(e.key==="?")Zs.showModal();else if(e.key==="0")mn({from:null,to:null});else if(n>=0)mn({view:t[n].name});else return;e.preventDefault()}var Ui={ArrowRight:1,ArrowDown:1,ArrowLeft:-1,ArrowUp:-1};function cu(e){let t=e.map((s,l)=>p("a",{role:"tab",id:`tab-${s.name}`,"aria-controls":"view","aria-ke\
yshortcuts":eo(l)},s.title)),n=p("div",{role:"tablist",class:"tabs","aria-label":"Views"},t);return n.addEventListener("keydown",s=>{let l=t.indexOf(s.target);if(l<
0||s.ctrlKey||s.metaKey||s.altKey)return;let o={Home:0,End:t.length-1};if(s.key===" ")t[l].click();else if(s.key in Ui)t[(l+Ui[s.key]+t.length)%t.length].focus();else if(s.
key in o)t[o[s.key]].focus();else return;s.preventDefault()}),{links:t,list:n}}var Qs=class{constructor(t,n){this.views=t,this.text=p("span"),this.follow=p("but\
ton",{id:"follow",onclick:n}),this.part=p("span"),this.whole=p("button",{id:"whole",onclick:()=>mn({from:null,to:null,chosen:F.chosen})},"Whole recording");let{
links:s,list:l}=cu(t);this.links=s,document.getElementById("recording").append(this.text," ",this.follow),document.getElementById("views").append(l),document.getElementById(
"part").append(this.part," ",this.whole)}draw({info:t,origin:n,spanNs:s},l){let o=this.views.find(v=>v.name===F.view)??this.views[0];if(document.title=[o.title,
t?.file,"ingero"].filter(Boolean).join(" \u2013 "),this.links.forEach((v,E)=>{let $=this.views[E]===o;v.href=lt({view:this.views[E].name}),v.setAttribute("aria-\
selected",String($)),v.tabIndex=$?0:-1}),this.follow.hidden=!t?.live,this.whole.hidden=!F.from&&!F.to,!t){this.text.textContent="",this.part.textContent="";return}
let{file:a,legacy:i,first:u,events:f}=t,m=[a,`${L(f)} events`,u?`${M(s)} from ${u.slice(0,10)} ${Rn(u)} UTC`:"no event yet"];if(i&&m.push("made by the legacy ag\
ent"),this.text.textContent=m.join(" \xB7 "),this.follow.textContent=l?"Live: following":"Live: paused",this.follow.setAttribute("aria-pressed",String(l)),this.
whole.hidden){this.part.textContent="Whole recording";return}let w=(v,E)=>v?Number((Me(v)??n)-n):E,[x,y]=[w(F.from,0),w(F.to,s)];this.part.textContent=`Part: ${M(
Math.max(0,y-x))}, from ${M(x)} on`}};var no=document.getElementById("progress"),Yi=p("span"),Gi=p("span",{"aria-hidden":"true"});no.replaceChildren(Yi,Gi);var Ms=null,Ki=0;function to(){if(Ms===null)
return;let e=Di();Yi.textContent=`Loading ${e.length?e.join(", "):"the view"}`;let t=Math.floor((performance.now()-Ms)/1e3);Gi.textContent=t?` \u2026 ${t} s`:" \
\u2026"}Ni(to);function so(){Ms===null&&(Ki=setInterval(to,1e3)),Ms=performance.now(),no.hidden=!1,to()}function Xs(){Ms=null,clearInterval(Ki),no.hidden=!0}var lo=(e=3)=>p(
"div",{class:"waiting","aria-hidden":"true"},Array.from({length:e},()=>p("i"))),ji=e=>p("div",{class:"view outline"},p("section",{class:"card"},p("h2",{},e),lo(
6)));var uu="http://www.w3.org/2000/svg";function De(e,t={},...n){let s=document.createElementNS(uu,e);for(let[l,o]of Object.entries(t))o!=null&&s.setAttribute(l,String(
o));for(let l of n.flat())l&&s.append(l instanceof Node?l:document.createTextNode(String(l)));return s}function Ji(e){let t=10**Math.floor(Math.log10(e));return[
1,2,5,10].find(n=>n*t>=e)*t}function el(e,t,n){let s=[],l=-1/0;for(let{x:o,at:a}of e){let i=M(Math.max(0,a));o<l||o+6*i.length>n||(s.push(De("text",{class:"axis",
x:o,y:t},i)),l=o+7*i.length+24)}return De("g",{"aria-hidden":"true"},s)}function tl({id:e,label:t,items:n,chosen:s=null,draw:l,onChoose:o}){let a=De("svg",{role:"\
presentation",width:"100%"}),i=p("div",{class:"picture",id:e,role:"listbox",tabindex:0,"aria-label":t,"aria-orientation":"horizontal"},a),u=[],f=[],m=n.findIndex(
E=>String(E.id)===String(s)),w=0;function x(){f.forEach((E,$)=>E.setAttribute("aria-selected",String($===m))),m>=0&&f[m]&&i.setAttribute("aria-activedescendant",
f[m].id)}function y(){let E=l(w);u=E.slots,a.setAttribute("height",E.height),a.setAttribute("viewBox",`0 0 ${w} ${E.height}`),f=n.map(($,C)=>De("g",{role:"optio\
n",id:`${e}-${C}`,"aria-label":$.label},De("title",{},$.label),De("rect",{class:"slot",x:u[C].x,y:0,width:u[C].width,height:E.height}),E.shapes[C])),a.replaceChildren(
...E.behind,...f,...E.before),x()}i.choose=E=>{m=Math.min(n.length-1,Math.max(0,E)),x(),o(n[m])},i.chosen=()=>m,i.addEventListener("click",E=>{let $=E.clientX-a.
getBoundingClientRect().left,C=-1,g=1/0;u.forEach((T,k)=>{let K=Math.abs(T.x+T.width/2-$);K<g&&([C,g]=[k,K])}),C>=0&&i.choose(C)}),i.addEventListener("keydown",
E=>{if(E.altKey||E.metaKey||E.ctrlKey)return;let $=Math.max(1,Math.round(n.length/10)),C={ArrowLeft:m-1,ArrowRight:m+1,ArrowUp:m-1,ArrowDown:m+1,PageUp:m-$,PageDown:m+
$,Home:0,End:n.length-1}[E.key];C!==void 0&&(E.preventDefault(),i.choose(C))});let v=new ResizeObserver(()=>{!i.clientWidth||i.clientWidth===w||(w=i.clientWidth,
y())});return v.observe(i),i.close=()=>v.disconnect(),i}var Zi=e=>String(BigInt.asIntN(64,BigInt(e)));async function Qi(e,t,{origin:n,signal:s}){let l=Xt("timestamp",u=>String(Me(u))),o=await Qe(`WITH a AS (SELECT *,\
 ntile(${t}) OVER (ORDER BY timestamp) AS part FROM collective_arrivals WHERE comm_id_hash = ${Zi(e)} AND ${l}),
    w AS (SELECT *, row_number() OVER (PARTITION BY part ORDER BY skew_ns DESC) AS place, count(*) OVER () AS entered FROM a)
    SELECT session, seq, call, ranks, nranks, skew_ns, late_ns, last_rank, last_pid, timestamp - ${n} AS at, entered FROM w WHERE place = 1 ORDER BY timestamp`,
1e3,s);if(!o.length)return[];let a=new Map(o.map(u=>[`${u.session} ${u.seq}`,{...u,id:`${u.session}-${u.seq}`,entries:[]}])),i=await Qe(`SELECT session, seq, ra\
nk, pid, start_mono_ns - min(start_mono_ns) OVER (PARTITION BY session, seq) AS late_ns FROM collectives WHERE comm_id_hash = ${Zi(e)} AND seq IN (${o.map(u=>Number(
u.seq)).join()})
    ORDER BY late_ns`,1e4,s);for(let u of i){let f=a.get(`${u.session} ${u.seq}`);f&&f.entries.push({rank:u.rank,pid:u.pid,late_ns:u.late_ns})}return[...a.values()]}
var gn=({rank:e,pid:t})=>e==null?`pid ${t}`:`rank ${e}`;var fu=22,$s=4,hu=1e5;function Xi(e){let t=new Map;for(let s of e)for(let l of s.entries)t.set(gn(l),l);let n=[...t].sort(([,s],[,l])=>(s.rank??1e9)-(l.rank??1e9)||
s.pid-l.pid).map(([s])=>s);return new Map(n.map((s,l)=>[s,l]))}var oo=e=>e.reduce((t,n)=>Math.max(t,n.skew_ns),hu);function er(e,t,n){let s=t.size>64?8:t.size>16?
14:24,l=n<500?54:70,o=$s+s*t.size+fu,a=Math.min(32,(n-l-2)/e.length),i=oo(e),u=Math.ceil(14/s),f=[...t].filter(([,y])=>y%u===0).map(([y,v])=>De("text",{class:"a\
xis",x:l-6,y:$s+(v+.5)*s+4,"text-anchor":"end"},y)),m=e.map((y,v)=>({x:l+v*a,width:a})),w=e.map((y,v)=>{let E=new Set,$={x:(m[v].x+.5).toFixed(2),width:Math.max(
1,a-1).toFixed(2),height:s-2},C=y.entries.map(T=>{let k=t.get(gn(T));return E.add(k),De("rect",{...$,class:"late",y:$s+k*s+1,"fill-opacity":(.06+.94*Math.min(1,
T.late_ns/i)).toFixed(3)})});for(let T of t.values())E.has(T)||C.push(De("rect",{...$,class:"absent",y:$s+T*s+1}));let g=t.get(gn({rank:y.last_rank,pid:y.last_pid}));
return g!==void 0&&C.push(De("circle",{class:"last",cx:(m[v].x+a/2).toFixed(2),cy:$s+(g+.5)*s,r:Math.max(1.2,Math.min(4,a/3,s/4)).toFixed(2)})),C}),x=el(m.map((y,v)=>({
x:y.x,at:e[v].at})),o-6,n);return{height:o,slots:m,shapes:w,behind:[De("g",{"aria-hidden":"true"},f)],before:[x]}}var tr=new Map,du=(e,t)=>`${e} ${t}${e===1?"":"s"}`;function pu(e,t,n){let s=p("div",{class:"table",role:"group","aria-label":e},t,n),l=p("button",{class:"hint",
hidden:!0},"More columns"),o=[...t.querySelectorAll("thead th")],a=()=>{let f=s.clientWidth;if(!f)return;let m=s.scrollWidth>f+1,w=m?o.filter(y=>y.offsetLeft+y.
offsetWidth>s.scrollLeft+f+1):[],x=w.length;s.classList.toggle("is-wide",m),i.classList.toggle("is-cut",x>0),m?s.tabIndex=0:s.removeAttribute("tabindex"),l.hidden=
!m,l.textContent=x?`${du(x,"more column")} \u2192`:"\u2190 to the first column",l.onclick=()=>{let y=x?w[0].offsetLeft-o[0].offsetWidth:0;s.scrollLeft=x&&y<=s.scrollLeft?
s.scrollLeft+f/2:y}},i=p("div",{class:"frame"},l,s);s.addEventListener("scroll",a,{passive:!0});let u=new ResizeObserver(a);return u.observe(s),u.observe(t),i}function X({
caption:e,columns:t,rows:n,sorted:s=null,choose:l=null,key:o=null,chosen:a=null,most:i=200}){let u=tr.get(e)??{by:s,down:!0};tr.set(e,u);let f=p("tbody"),m=p("p",
{class:"quiet"});function w(){let v=t[u.by],E=n;v?.sort&&(E=[...n].sort(($,C)=>{let[g,T]=[v.sort($),v.sort(C)],k=g===T?0:g==null?-1:T==null?1:g<T?-1:1;return u.
down?-k:k})),f.replaceChildren(...E.slice(0,i).map($=>{let C=p("tr",{"aria-selected":o&&a!==null?String(o($))===String(a):void 0});return t.forEach((g,T)=>{let k=g.
node?g.node($):g.text($);C.append(p(T===0?"th":"td",{scope:T===0?"row":void 0,class:g.number?"number":void 0},T===0&&l?p("button",{class:"plain",onclick:()=>l($)},
k):k))}),C})),m.textContent=n.length>i?`${i} of ${n.length} rows are shown.`:"",x.forEach(($,C)=>$.setAttribute("aria-sort",C!==u.by?"none":u.down?"descending":
"ascending"))}let x=t.map((v,E)=>p("th",{scope:"col",class:v.number?"number":void 0,title:v.title},v.sort?p("button",{class:"plain",onclick:()=>{u.down=u.by===E?
!u.down:!0,u.by=E,w()}},v.head):v.head)),y=p("table",{},p("caption",{},e),p("thead",{},p("tr",{},x)),f);return w(),pu(e,y,m)}function gt(e){return p("dl",{class:"\
facts"},e.filter(([,t])=>t!=null&&t!=="").map(([t,n])=>p("div",{},p("dt",{},t),p("dd",{},n))))}var U=(e,...t)=>p("section",{class:"card"},p("h2",{},e),...t),fe=e=>p(
"p",{class:"quiet"},e),be=e=>e?.cut?.length?p("ul",{class:"cut"},e.cut.map(t=>p("li",{},t))):null;var mu=120,gu=10,nr=1e6,nl=e=>gn({rank:e.last_rank,pid:e.last_pid}),wu=e=>`${e.call} number ${e.seq}: ${nl(e)} came last, ${M(e.skew_ns)} after the first`;function lr(e){
let[t]=[...e.last].sort((s,l)=>l.times-s.times);if(!t||!e.rounds)return null;let n=gn(t);return`${n[0].toUpperCase()}${n.slice(1)} came last most often: in ${L(
t.times)} of ${L(e.rounds)} collectives, at most ${M(t.max_skew_ns)} after the first.`}function sr(e,t,n){let[s,l]=[t.at-nr,t.at+t.skew_ns+nr].map(o=>Ot(n.origin+
BigInt(Math.round(o))));e.replaceChildren(p("h3",{},`${t.call} number ${L(t.seq)}`),p("p",{},`${nl(t)} came last: ${M(t.skew_ns)} after the first, ${M(t.late_ns)}\
 after the one before it.`),X({caption:"Who came when",rows:t.entries,columns:[{head:"Rank",text:gn,sort:o=>o.rank},{head:"Process",number:!0,text:o=>o.pid,sort:o=>o.
pid},{head:"After the first",number:!0,text:o=>M(o.late_ns),sort:o=>o.late_ns},{head:"Waited for the last",number:!0,text:o=>M(t.skew_ns-o.late_ns),sort:o=>t.skew_ns-
o.late_ns}]}),p("p",{},p("a",{href:lt({view:"timeline",from:s,to:l})},"Show it on the timeline")))}var bu=(e,t)=>X({caption:"Collectives of the picture; choose \
one",rows:e.map((n,s)=>({...n,i:s})),most:300,choose:n=>t(n.i),columns:[{head:"Collective",text:n=>`${n.call} ${L(n.seq)}`,sort:n=>n.at},{head:"At",number:!0,text:n=>M(
n.at),sort:n=>n.at},{head:"Came last",text:nl,sort:nl},{head:"After the first",number:!0,text:n=>M(n.skew_ns),sort:n=>n.skew_ns},{head:"After the one before",number:!0,
text:n=>M(n.late_ns),sort:n=>n.late_ns},{head:"Ranks seen",number:!0,text:n=>L(n.ranks),sort:n=>n.ranks}]});async function or(e,t,n){if(e.comm_id_hash===null||!e.
rounds)return null;let s=Math.max(20,Math.min(mu,Math.floor((Math.min(innerWidth,1600)-130)/gu))),l=(await Qi(e.comm_id_hash,s,n)).map(y=>({...y,label:wu(y)}));
if(!l.length)return null;let o=Xi(l),a=y=>`${t}-${y}`,i=p("div",{"aria-live":"polite"}),u=tl({id:`ranks-${t}`,items:l,chosen:l.find(y=>a(y.id)===F.chosen.collective)?.
id??null,label:"Ranks by time: who came late to each collective. Arrow keys choose one.",draw:y=>er(l,o,y),onChoose:y=>{Ie({collective:a(y.id)},!0),sr(i,y,n)}}),
f=y=>u.choose(u.chosen()<0?0:u.chosen()+y);u.chosen()>=0?sr(i,l[u.chosen()],n):i.append(p("p",{class:"quiet"},"Choose a collective in the picture: click it, or \
use the arrow keys."));let{entered:m}=l[0],w=l.some(y=>y.entries.length<o.size);return{element:p("div",{},p("div",{class:"bar"},p("button",{onclick:()=>f(-1),title:"\
The column before (\u2190)"},"Earlier"),p("button",{onclick:()=>f(1),title:"The next column (\u2192)"},"Later"),p("span",{class:"quiet"},m>l.length?`of ${L(m)} \
collectives ${L(l.length)}: of each part the one whose ranks came most apart`:`${L(m)} collectives`)),u,p("ul",{class:"legend","aria-label":"Colours"},p("li",{},
p("i",{class:"kind scale"}),`from in time to ${M(oo(l))} after the first`),p("li",{},p("i",{class:"kind last"}),"came last"),w?p("li",{},p("i",{class:"kind abse\
nt"}),"not seen in it"):null),i,p("details",{},p("summary",{},"The picture as a table"),bu(l,y=>{u.choose(y),u.focus()}))),close:()=>u.close()}}var ir=e=>e===null?"made before the recording":BigInt(e).toString(16),xu=8;async function _u(e,t){let n=await pe("get_collectives",Be(),t.signal);if(!n.communicators.
length)return e.append(U("Collectives",fe("No collective was called in this part."),be(n))),()=>{};let s=[];for(let[l,o]of n.communicators.entries()){let a=l<xu?
await or(o,l,t):null;a&&s.push(a);let i=lr(o);e.append(U(`Communicator ${ir(o.comm_id_hash)}`,i?p("p",{},i):null,a?.element,gt([["Ranks",o.nranks],["Ranks seen \
here",L(o.ranks_seen)],["Collectives that several entered",L(o.rounds)],["First to last, at most",o.max_skew_ns===null?null:M(o.max_skew_ns)]]),o.hangs.length?p(
"ul",{class:"cut"},o.hangs.map(u=>p("li",{},`${u.call} number ${u.number}: ranks ${u.missing} missing while ${u.present} waited ${M(u.waited_ns)}${u.is_over?"":
", still"}`))):null,X({caption:"Calls",rows:o.ops,columns:[{head:"Call",text:u=>u.call},{head:"Calls",number:!0,text:u=>L(u.calls)},{head:"Bytes",number:!0,text:u=>Le(
u.bytes)},{head:"Average wait",number:!0,text:u=>M(u.average_wait_ns)},{head:"Longest wait",number:!0,text:u=>M(u.max_wait_ns)}]}),o.last.length?X({caption:"Who\
 came last",rows:o.last,columns:[{head:"Came last",text:u=>u.rank===null?`pid ${u.pid}`:`rank ${u.rank}`},{head:"Times",number:!0,text:u=>L(u.times)},{head:"Aft\
er the first, at most",number:!0,text:u=>M(u.max_skew_ns)},{head:"After the one before",number:!0,text:u=>M(u.late_ns)}]}):null))}return e.append(U("By rank",X(
{caption:"By rank",rows:n.ranks,columns:[{head:"Rank",text:l=>l.rank===null?`pid ${l.pid}`:l.rank,sort:l=>l.rank},{head:"Communicator",text:l=>ir(l.comm_id_hash)},
{head:"Calls",number:!0,text:l=>L(l.calls),sort:l=>l.calls},{head:"Bytes",number:!0,text:l=>Le(l.bytes),sort:l=>l.bytes},{head:"Average wait",number:!0,text:l=>M(
l.average_wait_ns),sort:l=>l.average_wait_ns},{head:"Longest wait",number:!0,text:l=>M(l.max_wait_ns),sort:l=>l.max_wait_ns},{head:"Last number",number:!0,text:l=>L(
l.last_number),sort:l=>l.last_number}]}),be(n))),()=>{for(let l of s)l.close()}}var rr={name:"collectives",title:"Collectives",draw:_u};function yu(e){let t={name:"all",ns:0,n:0,children:new Map};for(let n of e){if(!n.frames?.length)continue;t.ns+=n.total_ns??0,t.n+=n.n;let s=t;for(let l of[...n.
frames].reverse())s.children.has(l)||s.children.set(l,{name:l,ns:0,n:0,children:new Map}),s=s.children.get(l),s.ns+=n.total_ns??0,s.n+=n.n}return t}function vu(e,t){
let n=e;for(let s of t)if(n=n.children.get(s),!n)return null;return n}var Su=e=>e.children.size===0?"leaf":/\.py\b|\[Python\]/.test(e.name)?"python":"native";function ar(e,t,n,s,l=0){
if(l>60)return null;let o=[...e.children.values()].sort((a,i)=>i.ns-a.ns).filter(a=>a.ns/t.ns>.002);return p("ul",{class:"icicle"},o.map(a=>{let i=p("li",{},p("\
button",{class:`box ${Su(a)}`,title:`${a.name}: ${M(a.ns)}, ${ln(a.ns/t.ns)}, ${L(a.n)} calls`,onclick:()=>s([...n,a.name])},a.name),ar(a,t,[...n,a.name],s,l+1));
return i.style.flexGrow=String(a.ns),i.style.width=`${100*a.ns/e.ns}%`,i}))}async function ku(e,t){let n=await pe("get_stacks",{...Be(),limit:100,...F.chosen.op&&
{op:F.chosen.op}},t.signal),s=n.stacks.filter(m=>m.frames?.length),l=yu(s),o=[];try{o=JSON.parse(F.chosen.path??"[]")}catch{o=[]}let a=Array.isArray(o)?vu(l,o.map(
String))??l:l;a===l&&(o=[]);let i=m=>Ie({path:m.length?JSON.stringify(m):null},!1),u=[...new Set(n.stacks.map(m=>m.op))].sort(),f=p("select",{id:"op"},p("option",
{value:""},"all calls"),u.map(m=>p("option",{value:m,selected:m===F.chosen.op},m)));F.chosen.op&&!u.includes(F.chosen.op)&&f.append(p("option",{value:F.chosen.op,
selected:!0},F.chosen.op)),f.addEventListener("change",()=>Ie({op:f.value||null,path:null},!1)),e.append(p("section",{class:"card"},p("h2",{},"Where calls were \
made"),p("div",{class:"bar"},p("label",{for:"op"},"Of"),f,o.length?p("button",{onclick:()=>i([])},"All of it"):null,o.length?p("button",{onclick:()=>i(o.slice(0,
-1))},"One frame out"):null),s.length?p("div",{},o.length?p("p",{},o.at(-1)):null,p("p",{class:"quiet"},`${M(a.ns)} in ${L(a.n)} calls; a frame is as wide as it\
s share, the calls stand at the bottom.`),p("div",{class:"flames",role:"group","aria-label":"Flame graph"},ar(a,a,o,i))):fe("This part has no stacks: not every \
call has one (trace --stack), and recordings of the legacy agent may have none."),be(n))),n.stacks.length&&e.append(U("Stacks",X({caption:"Stacks by time",rows:n.
stacks,sorted:2,columns:[{head:"Call",text:m=>m.op,sort:m=>m.op},{head:"Calls",number:!0,text:m=>L(m.n),sort:m=>m.n},{head:"Time",number:!0,text:m=>M(m.total_ns),
sort:m=>m.total_ns},{head:"Longest",number:!0,text:m=>M(m.max_us===null?null:m.max_us*1e3),sort:m=>m.max_us},{head:"Innermost frames",text:m=>(m.frames??[]).slice(
0,3).join(" < ")||"not known"}]})))}var cr={name:"flame",title:"Flame graph",draw:ku};function Eu(e){let t=e.flatMap(n=>n.rows.filter(s=>s.state!=="resolved").map(s=>({...s,library:n.library})));return p("div",{},X({caption:"Rows by library of th\
is machine",rows:e,columns:[{head:"Library",text:n=>n.path},{head:"Version",text:n=>n.version??""},{head:"Processes",number:!0,text:n=>L(n.pids.length)},{head:"\
Resolved",number:!0,text:n=>L(n.resolved)},{head:"Absent",number:!0,text:n=>L(n.absent)},{head:"Refused",number:!0,text:n=>L(n.refused)},{head:"Single-stepped",
number:!0,text:n=>L(n.single_stepped)}]}),t.length?p("details",{},p("summary",{},`${L(t.length)} rows are absent or refused`),X({caption:"Absent and refused row\
s",rows:t,columns:[{head:"Call",text:n=>n.call},{head:"Library",text:n=>n.library},{head:"State",text:n=>n.state},{head:"Why",text:n=>[n.reason,n.remedy].filter(
Boolean).join("; ")}]})):null)}async function Mu(e,{info:t,signal:n}){let[s,l,o]=await Promise.all([pe("get_trace_stats",{},n),Qe("SELECT id, (CASE WHEN stopped\
_at > 0 THEN stopped_at - started_at END) AS lasted_ns, kernel, os_release, cpu_model, cpu_cores, gpu_model, gpu_driver, flags, pid_filter, node, ingero_ver FRO\
M sessions ORDER BY id",50,n),t.legacy?Promise.resolve(null):Qe("SELECT backend, library, library_version, count(*) AS rows, count(DISTINCT name) AS calls FROM \
sites GROUP BY 1, 2, 3 ORDER BY rows DESC",200,n)]),a=s.recording.not_ended,i=a?s.recording.lost_at_least??[]:s.lost;a&&e.append(U("No proper end",p("p",{},a),p(
"p",{},"What was lost is not known. Below is what was counted until then."))),e.append(U("What was lost",i===null?fe("Not known: the legacy agent kept no accoun\
t of it."):i.length===0?fe(a?"Nothing until then.":"Nothing."):X({caption:"Losses",rows:i,sorted:1,columns:[{head:"What",text:f=>f.sentence},{head:"Count",number:!0,
text:f=>L(f.count),sort:f=>f.count},{head:"Severity",node:f=>p("span",{class:`severity ${f.severity==="info"?"low":"medium"}`},f.severity),sort:f=>f.severity},{
head:"Name",text:f=>f.name}]}))),e.append(U("Rows in use, by library",o===null?fe("Not known: the legacy agent did not store it."):o.length===0?fe("No call of a\
 library was captured."):X({caption:"Libraries",rows:o,columns:[{head:"Library",text:f=>f.library??"the kernel"},{head:"Version",text:f=>f.library_version??""},
{head:"Backend",text:f=>f.backend},{head:"Calls",number:!0,text:f=>L(f.calls)},{head:"Spellings",number:!0,text:f=>L(f.rows)}]}),p("p",{class:"quiet"},"Rows tha\
t saw at least one call. Which rows can be attached at all, the check below says for the machine that serves this page."))),e.append(U("Runs of the agent",X({caption:"\
Runs",rows:l,columns:[{head:"Run",text:f=>`${f.id}${f.node?` on ${f.node}`:""}`},{head:"Lasted",number:!0,text:f=>f.lasted_ns===null?t.live?"running":"killed":M(
f.lasted_ns)},{head:"Flags",text:f=>f.flags??""},{head:"Processes",text:f=>f.pid_filter||"all"},{head:"Kernel",text:f=>f.kernel??""},{head:"CPU",text:f=>`${f.cpu_model??
""}${f.cpu_cores?`, ${f.cpu_cores}`:""}`},{head:"Device",text:f=>f.gpu_model??""},{head:"Version",text:f=>f.ingero_ver??""}]}),gt([["Events",L(s.events)],["Rows\
 pruned to keep the file small",s.rows_pruned?L(s.rows_pruned):"none"]]),be(s)));let u=p("div",{},p("button",{id:"check",onclick:async()=>{u.replaceChildren(p("\
p",{class:"quiet"},"Looking\u2026"));try{let f=await pe("get_check");u.replaceChildren(p("p",{},`This machine is ${f.status}.`),Eu(f.libraries),X({caption:"Chec\
ks of this machine",rows:f.checks,columns:[{head:"Check",text:m=>m.name},{head:"Verdict",text:m=>m.pass===null?"could not tell":m.pass?"passed":m.optional?"miss\
ing, not needed":"failed"},{head:"What was found",text:m=>[m.value,m.detail,m.recommendation].filter(Boolean).join("; ")}]}))}catch(f){u.replaceChildren(p("p",{
role:"alert"},f.message))}}},"Check this machine"));e.append(U("The machine that serves this page",u))}var ur={name:"health",title:"Capture",draw:Mu};var $u="uplot",Tu="u-hz",Au="u-vt",Cu="u-title",Ru="u-wrap",Lu="u-under",Ou="u-over",Nu="u-axis",Nn="u-off",Du="u-select",Pu="u-cursor-x",Iu="u-cursor-y",Wu="u-\
cursor-pt",Fu="u-legend",Bu="u-live",zu="u-inline",Vu="u-series",Hu="u-marker",fr="u-label",qu="u-value",As="width",Cs="height";var hr="bottom",ls="left",io="right",ko="#000",dr=ko+"0",ro="mousemove",pr="mousedown",ao="mouseup",mr="mouseenter",gr="mouseleave",wr="dblclick",Uu="resize",Yu="\
scroll",br="change",rl="dppxchange",Eo="--",fs=typeof window<"u",po=fs?document:null,is=fs?window:null,Gu=fs?navigator:null,he,sl;function mo(){let e=devicePixelRatio;
he!=e&&(he=e,sl&&wo(br,sl,mo),sl=matchMedia(`(min-resolution: ${he-.001}dppx) and (max-resolution: ${he+.001}dppx)`),Dn(br,sl,mo),is.dispatchEvent(new CustomEvent(
rl)))}function vt(e,t){if(t!=null){let n=e.classList;!n.contains(t)&&n.add(t)}}function go(e,t){let n=e.classList;n.contains(t)&&n.remove(t)}function $e(e,t,n){
e.style[t]=n+"px"}function zt(e,t,n,s){let l=po.createElement(e);return t!=null&&vt(l,t),n?.insertBefore(l,s),l}function Nt(e,t){return zt("div",e,t)}var xr=new WeakMap;
function en(e,t,n,s,l){let o="translate("+t+"px,"+n+"px)",a=xr.get(e);o!=a&&(e.style.transform=o,xr.set(e,o),t<0||n<0||t>s||n>l?vt(e,Nn):go(e,Nn))}var _r=new WeakMap;
function yr(e,t,n){let s=t+n,l=_r.get(e);s!=l&&(_r.set(e,s),e.style.background=t,e.style.borderColor=n)}var vr=new WeakMap;function Sr(e,t,n,s){let l=t+""+n,o=vr.
get(e);l!=o&&(vr.set(e,l),e.style.height=n+"px",e.style.width=t+"px",e.style.marginLeft=s?-t/2+"px":0,e.style.marginTop=s?-n/2+"px":0)}var Mo={passive:!0},Ku={...Mo,
capture:!0};function Dn(e,t,n,s){t.addEventListener(e,n,s?Ku:Mo)}function wo(e,t,n,s){t.removeEventListener(e,n,Mo)}fs&&mo();function Vt(e,t,n,s){let l;n=n||0,s=
s||t.length-1;let o=s<=2147483647;for(;s-n>1;)l=o?n+s>>1:St((n+s)/2),t[l]<e?n=l:s=l;return e-t[n]<=t[s]-e?n:s}function Zr(e){return(n,s,l)=>{let o=-1,a=-1;for(let i=s;i<=
l;i++)if(e(n[i])){o=i;break}for(let i=l;i>=s;i--)if(e(n[i])){a=i;break}return[o,a]}}var Qr=e=>e!=null,Xr=e=>e!=null&&e>0,ul=Zr(Qr),ju=Zr(Xr);function Ju(e,t,n,s=0,l=!1){
let o=l?ju:ul,a=l?Xr:Qr;[t,n]=o(e,t,n);let i=e[t],u=e[t];if(t>-1)if(s==1)i=e[t],u=e[n];else if(s==-1)i=e[n],u=e[t];else for(let f=t;f<=n;f++){let m=e[f];a(m)&&(m<
i?i=m:m>u&&(u=m))}return[i??xe,u??-xe]}function fl(e,t,n,s){let l=Mr(e),o=Mr(t);e==t&&(l==-1?(e*=n,t/=n):(e/=n,t*=n));let a=n==10?on:ea,i=l==1?St:Dt,u=o==1?Dt:St,
f=i(a(Ue(e))),m=u(a(Ue(t))),w=rs(n,f),x=rs(n,m);return n==10&&(f<0&&(w=_e(w,-f)),m<0&&(x=_e(x,-m))),s||n==2?(e=w*l,t=x*o):(e=la(e,w),t=hl(t,x)),[e,t]}function $o(e,t,n,s){
let l=fl(e,t,n,s);return e==0&&(l[0]=0),t==0&&(l[1]=0),l}var To=.1,kr={mode:3,pad:To},Ls={pad:0,soft:null,mode:0},Zu={min:Ls,max:Ls};function al(e,t,n,s){return dl(
n)?Er(e,t,n):(Ls.pad=n,Ls.soft=s?0:null,Ls.mode=s?3:0,Er(e,t,Zu))}function ce(e,t){return e??t}function Qu(e,t,n){for(t=ce(t,0),n=ce(n,e.length-1);t<=n;){if(e[t]!=
null)return!0;t++}return!1}function Er(e,t,n){let s=n.min,l=n.max,o=ce(s.pad,0),a=ce(l.pad,0),i=ce(s.hard,-xe),u=ce(l.hard,xe),f=ce(s.soft,xe),m=ce(l.soft,-xe),
w=ce(s.mode,0),x=ce(l.mode,0),y=t-e,v=on(y),E=ut(Ue(e),Ue(t)),$=on(E),C=Ue($-v);(y<1e-24||C>10)&&(y=0,(e==0||t==0)&&(y=1e-24,w==2&&f!=xe&&(o=0),x==2&&m!=-xe&&(a=
0)));let g=y||E||1e3,T=on(g),k=rs(10,St(T)),K=g*(y==0?e==0?.1:1:o),N=_e(la(e-K,k/10),24),Z=e>=f&&(w==1||w==3&&N<=f||w==2&&N>=f)?f:xe,G=ut(i,N<Z&&e>=Z?Z:Ht(Z,N)),
ee=g*(y==0?t==0?.1:1:a),Q=_e(hl(t+ee,k/10),24),O=t<=m&&(x==1||x==3&&Q>=m||x==2&&Q<=m)?m:-xe,ne=Ht(u,Q>O&&t<=O?O:ut(O,Q));return G==ne&&G==0&&(ne=100),[G,ne]}var Xu=new Intl.
NumberFormat(fs?Gu.language:"en-US"),Ao=e=>Xu.format(e),kt=Math,il=kt.PI,Ue=kt.abs,St=kt.floor,qe=kt.round,Dt=kt.ceil,Ht=kt.min,ut=kt.max,rs=kt.pow,Mr=kt.sign,on=kt.
log10,ea=kt.log2,ef=(e,t=1)=>kt.sinh(e)*t,co=(e,t=1)=>kt.asinh(e/t),xe=1/0;function $r(e){return(on((e^e>>31)-(e>>31))|0)+1}function bo(e,t,n){return Ht(ut(e,t),
n)}function ta(e){return typeof e=="function"}function oe(e){return ta(e)?e:()=>e}var tf=()=>{},na=e=>e,sa=(e,t)=>t,nf=e=>null,Tr=e=>!0,Ar=(e,t)=>e==t,sf=/\.\d*?(?=9{6,}|0{6,})/gm,
Pn=e=>{if(ia(e)||bn.has(e))return e;let t=`${e}`,n=t.match(sf);if(n==null)return e;let s=n[0].length-1;if(t.indexOf("e-")!=-1){let[l,o]=t.split("e");return+`${Pn(
l)}e${o}`}return _e(e,s)};function Ln(e,t){return Pn(_e(Pn(e/t))*t)}function hl(e,t){return Pn(Dt(Pn(e/t))*t)}function la(e,t){return Pn(St(Pn(e/t))*t)}function _e(e,t=0){
if(ia(e))return e;let n=10**t,s=e*n*(1+Number.EPSILON);return qe(s)/n}var bn=new Map;function oa(e){return((""+e).split(".")[1]||"").length}function Ns(e,t,n,s){
let l=[],o=s.map(oa);for(let a=t;a<n;a++){let i=Ue(a),u=_e(rs(e,a),i);for(let f=0;f<s.length;f++){let m=e==10?+`${s[f]}e${a}`:s[f]*u,w=(a>=0?0:i)+(a>=o[f]?0:o[f]),
x=e==10?m:_e(m,w);l.push(x),bn.set(x,w)}}return l}var Os={},Co=[],as=[null,null],wn=Array.isArray,ia=Number.isInteger,lf=e=>e===void 0;function Cr(e){return typeof e==
"string"}function dl(e){let t=!1;if(e!=null){let n=e.constructor;t=n==null||n==Object}return t}function of(e){return e!=null&&typeof e=="object"}var rf=Object.getPrototypeOf(
Uint8Array),ra="__proto__";function cs(e,t=dl){let n;if(wn(e)){let s=e.find(l=>l!=null);if(wn(s)||t(s)){n=Array(e.length);for(let l=0;l<e.length;l++)n[l]=cs(e[l],
t)}else n=e.slice()}else if(e instanceof rf)n=e.slice();else if(t(e)){n={};for(let s in e)s!=ra&&(n[s]=cs(e[s],t))}else n=e;return n}function ze(e){let t=arguments;
for(let n=1;n<t.length;n++){let s=t[n];for(let l in s)l!=ra&&(dl(e[l])?ze(e[l],cs(s[l])):e[l]=cs(s[l]))}return e}var af=0,cf=1,uf=2;function ff(e,t,n){for(let s=0,
l,o=-1;s<t.length;s++){let a=t[s];if(a>o){for(l=a-1;l>=0&&e[l]==null;)e[l--]=null;for(l=a+1;l<n&&e[l]==null;)e[o=l++]=null}}}function hf(e,t){if(mf(e)){let a=e[0].
slice();for(let i=1;i<e.length;i++)a.push(...e[i].slice(1));return gf(a[0])||(a=pf(a)),a}let n=new Set;for(let a=0;a<e.length;a++){let u=e[a][0],f=u.length;for(let m=0;m<
f;m++)n.add(u[m])}let s=[Array.from(n).sort((a,i)=>a-i)],l=s[0].length,o=new Map;for(let a=0;a<l;a++)o.set(s[0][a],a);for(let a=0;a<e.length;a++){let i=e[a],u=i[0];
for(let f=1;f<i.length;f++){let m=i[f],w=Array(l).fill(void 0),x=t?t[a][f]:cf,y=[];for(let v=0;v<m.length;v++){let E=m[v],$=o.get(u[v]);E===null?x!=af&&(w[$]=E,
x==uf&&y.push($)):w[$]=E}ff(w,y,l),s.push(w)}}return s}var df=typeof queueMicrotask>"u"?e=>Promise.resolve().then(e):queueMicrotask;function pf(e){let t=e[0],n=t.
length,s=Array(n);for(let o=0;o<s.length;o++)s[o]=o;s.sort((o,a)=>t[o]-t[a]);let l=[];for(let o=0;o<e.length;o++){let a=e[o],i=Array(n);for(let u=0;u<n;u++)i[u]=
a[s[u]];l.push(i)}return l}function mf(e){let t=e[0][0],n=t.length;for(let s=1;s<e.length;s++){let l=e[s][0];if(l.length!=n)return!1;if(l!=t){for(let o=0;o<n;o++)
if(l[o]!=t[o])return!1}}return!0}function gf(e,t=100){let n=e.length;if(n<=1)return!0;let s=0,l=n-1;for(;s<=l&&e[s]==null;)s++;for(;l>=s&&e[l]==null;)l--;if(l<=
s)return!0;let o=ut(1,St((l-s+1)/t));for(let a=e[s],i=s+o;i<=l;i+=o){let u=e[i];if(u!=null){if(u<=a)return!1;a=u}}return!0}var aa=["January","February","March",
"April","May","June","July","August","September","October","November","December"],ca=["Sunday","Monday","Tuesday","Wednesday","Thursday","Friday","Saturday"];function ua(e){
return e.slice(0,3)}var wf=ca.map(ua),bf=aa.map(ua),xf={MMMM:aa,MMM:bf,WWWW:ca,WWW:wf};function Ts(e){return(e<10?"0":"")+e}function _f(e){return(e<10?"00":e<100?
"0":"")+e}var yf={YYYY:e=>e.getFullYear(),YY:e=>(e.getFullYear()+"").slice(2),MMMM:(e,t)=>t.MMMM[e.getMonth()],MMM:(e,t)=>t.MMM[e.getMonth()],MM:e=>Ts(e.getMonth()+
1),M:e=>e.getMonth()+1,DD:e=>Ts(e.getDate()),D:e=>e.getDate(),WWWW:(e,t)=>t.WWWW[e.getDay()],WWW:(e,t)=>t.WWW[e.getDay()],HH:e=>Ts(e.getHours()),H:e=>e.getHours(),
h:e=>{let t=e.getHours();return t==0?12:t>12?t-12:t},AA:e=>e.getHours()>=12?"PM":"AM",aa:e=>e.getHours()>=12?"pm":"am",a:e=>e.getHours()>=12?"p":"a",mm:e=>Ts(e.
getMinutes()),m:e=>e.getMinutes(),ss:e=>Ts(e.getSeconds()),s:e=>e.getSeconds(),fff:e=>_f(e.getMilliseconds())};function Ro(e,t){t=t||xf;let n=[],s=/\{([a-z]+)\}|[^{]+/gi,
l;for(;l=s.exec(e);)n.push(l[0][0]=="{"?yf[l[1]]:l[0]);return o=>{let a="";for(let i=0;i<n.length;i++)a+=typeof n[i]=="string"?n[i]:n[i](o,t);return a}}var vf=new Intl.
DateTimeFormat().resolvedOptions().timeZone;function Sf(e,t){let n;return t=="UTC"||t=="Etc/UTC"?n=new Date(+e+e.getTimezoneOffset()*6e4):t==vf?n=e:(n=new Date(
e.toLocaleString("en-US",{timeZone:t})),n.setMilliseconds(e.getMilliseconds())),n}var fa=e=>e%1==0,cl=[1,2,2.5,5],kf=Ns(10,-32,0,cl),ha=Ns(10,0,32,cl),Ef=ha.filter(
fa),On=kf.concat(ha),Lo=`
`,da="{YYYY}",Rr=Lo+da,pa="{M}/{D}",Rs=Lo+pa,ll=Rs+"/{YY}",ma="{aa}",Mf="{h}:{mm}",os=Mf+ma,Lr=Lo+os,Or=":{ss}",me=null;function ga(e){let t=e*1e3,n=t*60,s=n*60,
l=s*24,o=l*30,a=l*365,u=(e==1?Ns(10,0,3,cl).filter(fa):Ns(10,-3,0,cl)).concat([t,t*5,t*10,t*15,t*30,n,n*5,n*10,n*15,n*30,s,s*2,s*3,s*4,s*6,s*8,s*12,l,l*2,l*3,l*
4,l*5,l*6,l*7,l*8,l*9,l*10,l*15,o,o*2,o*3,o*4,o*6,a,a*2,a*5,a*10,a*25,a*50,a*100]),f=[[a,da,me,me,me,me,me,me,1],[l*28,"{MMM}",Rr,me,me,me,me,me,1],[l,pa,Rr,me,
me,me,me,me,1],[s,"{h}"+ma,ll,me,Rs,me,me,me,1],[n,os,ll,me,Rs,me,me,me,1],[t,Or,ll+" "+os,me,Rs+" "+os,me,Lr,me,1],[e,Or+".{fff}",ll+" "+os,me,Rs+" "+os,me,Lr,
me,1]];function m(w){return(x,y,v,E,$,C)=>{let g=[],T=$>=a,k=$>=o&&$<a,K=w(v),N=_e(K*e,3),Z=uo(K.getFullYear(),T?0:K.getMonth(),k||T?1:K.getDate()),G=_e(Z*e,3);
if(k||T){let ee=k?$/o:0,Q=T?$/a:0,O=N==G?N:_e(uo(Z.getFullYear()+Q,Z.getMonth()+ee,1)*e,3),ne=new Date(qe(O/e)),B=ne.getFullYear(),j=ne.getMonth();for(let q=0;O<=
E;q++){let ie=uo(B+Q*q,j+ee*q,1),H=ie-w(_e(ie*e,3));O=_e((+ie+H)*e,3),O<=E&&g.push(O)}}else{let ee=$>=l?l:$,Q=St(v)-St(N),O=G+Q+hl(N-G,ee);g.push(O);let ne=w(O),
B=ne.getHours()+ne.getMinutes()/n+ne.getSeconds()/s,j=$/s,q=x.axes[y]._space,ie=C/q;for(;O=_e(O+$,e==1?0:3),!(O>E);)if(j>1){let H=St(_e(B+j,6))%24,re=w(O).getHours()-
H;re>1&&(re=-1),O-=re*s,B=(B+j)%24;let ge=g[g.length-1];_e((O-ge)/$,3)*ie>=.7&&g.push(O)}else g.push(O)}return g}}return[u,f,m]}var[$f,Tf,Af]=ga(1),[Cf,Rf,Lf]=ga(
.001);Ns(2,-53,53,[1]);function Nr(e,t){return e.map(n=>n.map((s,l)=>l==0||l==8||s==null?s:t(l==1||n[8]==0?s:n[1]+s)))}function Dr(e,t){return(n,s,l,o,a)=>{let i=t.
find(v=>a>=v[0])||t[t.length-1],u,f,m,w,x,y;return s.map(v=>{let E=e(v),$=E.getFullYear(),C=E.getMonth(),g=E.getDate(),T=E.getHours(),k=E.getMinutes(),K=E.getSeconds(),
N=$!=u&&i[2]||C!=f&&i[3]||g!=m&&i[4]||T!=w&&i[5]||k!=x&&i[6]||K!=y&&i[7]||i[1];return u=$,f=C,m=g,w=T,x=k,y=K,N(E)})}}function Of(e,t){let n=Ro(t);return(s,l,o,a,i)=>l.
map(u=>n(e(u)))}function uo(e,t,n){return new Date(e,t,n)}function Pr(e,t){return t(e)}var Nf="{YYYY}-{MM}-{DD} {h}:{mm}{aa}";function Ir(e,t){return(n,s,l,o)=>o==
null?Eo:t(e(s))}function Df(e,t){let n=e.series[t];return n.width?n.stroke(e,t):n.points.width?n.points.stroke(e,t):null}function Pf(e,t){return e.series[t].fill(
e,t)}var If={show:!0,live:!0,isolate:!1,mount:tf,markers:{show:!0,width:2,stroke:Df,fill:Pf,dash:"solid"},idx:null,idxs:null,values:[]};function Wf(e,t){let n=e.
cursor.points,s=Nt(),l=n.size(e,t);$e(s,As,l),$e(s,Cs,l);let o=l/-2;$e(s,"marginLeft",o),$e(s,"marginTop",o);let a=n.width(e,t,l);return a&&$e(s,"borderWidth",a),
s}function Ff(e,t){let n=e.series[t].points;return n._fill||n._stroke}function Bf(e,t){let n=e.series[t].points;return n._stroke||n._fill}function zf(e,t){return e.
series[t].points.size}var fo=[0,0];function Vf(e,t,n){return fo[0]=t,fo[1]=n,fo}function ol(e,t,n,s=!0){return l=>{l.button==0&&(!s||l.target==t)&&n(l)}}function ho(e,t,n,s=!0){
return l=>{(!s||l.target==t)&&n(l)}}var Hf={show:!0,x:!0,y:!0,lock:!1,move:Vf,points:{one:!1,show:Wf,size:zf,width:0,stroke:Bf,fill:Ff},bind:{mousedown:ol,mouseup:ol,
click:ol,dblclick:ol,mousemove:ho,mouseleave:ho,mouseenter:ho},drag:{setScale:!0,x:!0,y:!1,dist:0,uni:null,click:(e,t)=>{t.stopPropagation(),t.stopImmediatePropagation()},
_x:!1,_y:!1},focus:{dist:(e,t,n,s,l)=>s-l,prox:-1,bias:0},hover:{skip:[void 0],prox:null,bias:0},left:-10,top:-10,idx:null,dataIdx:null,idxs:null,event:null},wa={
show:!0,stroke:"rgba(0,0,0,0.07)",width:2},Oo=ze({},wa,{filter:sa}),ba=ze({},Oo,{size:10}),xa=ze({},wa,{show:!1}),No='12px system-ui, -apple-system, "Segoe UI",\
 Roboto, "Helvetica Neue", Arial, "Noto Sans", sans-serif, "Apple Color Emoji", "Segoe UI Emoji", "Segoe UI Symbol", "Noto Color Emoji"',_a="bold "+No,ya=1.5,Wr={
show:!0,scale:"x",stroke:ko,space:50,gap:5,alignTo:1,size:50,labelGap:0,labelSize:30,labelFont:_a,side:2,grid:Oo,ticks:ba,border:xa,font:No,lineGap:ya,rotate:0},
qf="Value",Uf="Time",Fr={show:!0,scale:"x",auto:!1,sorted:1,min:xe,max:-xe,idxs:[]};function Yf(e,t,n,s,l){return t.map(o=>o==null?"":Ao(o))}function Gf(e,t,n,s,l,o,a){
let i=[],u=bn.get(l)||0;n=a?n:_e(hl(n,l),u);for(let f=n;f<=s;f=_e(f+l,u))i.push(Object.is(f,-0)?0:f);return i}function xo(e,t,n,s,l,o,a){let i=[],u=e.scales[e.axes[t].
scale].log,f=u==10?on:ea,m=St(f(n));l=rs(u,m),u==10&&(l=On[Vt(l,On)]);let w=n,x=l*u;u==10&&(x=On[Vt(x,On)]);do i.push(w),w=w+l,u==10&&!bn.has(w)&&(w=_e(w,bn.get(
l))),w>=x&&(l=w,x=l*u,u==10&&(x=On[Vt(x,On)]));while(w<=s);return i}function Kf(e,t,n,s,l,o,a){let u=e.scales[e.axes[t].scale].asinh,f=s>u?xo(e,t,ut(u,n),s,l):[
u],m=s>=0&&n<=0?[0]:[];return(n<-u?xo(e,t,ut(u,-s),-n,l):[u]).reverse().map(x=>-x).concat(m,f)}var va=/./,jf=/[12357]/,Jf=/[125]/,Br=/1/,_o=(e,t,n,s)=>e.map((l,o)=>t==
4&&l==0||o%s==0&&n.test(l.toExponential()[l<0?1:0])?l:null);function Zf(e,t,n,s,l){let o=e.axes[n],a=o.scale,i=e.scales[a],u=e.valToPos,f=o._space,m=u(10,a),w=u(
9,a)-m>=f?va:u(7,a)-m>=f?jf:u(5,a)-m>=f?Jf:Br;if(w==Br){let x=Ue(u(1,a)-m);if(x<f)return _o(t.slice().reverse(),i.distr,w,Dt(f/x)).reverse()}return _o(t,i.distr,
w,1)}function Qf(e,t,n,s,l){let o=e.axes[n],a=o.scale,i=o._space,u=e.valToPos,f=Ue(u(1,a)-u(2,a));return f<i?_o(t.slice().reverse(),3,va,Dt(i/f)).reverse():t}function Xf(e,t,n,s){
return s==null?Eo:t==null?"":Ao(t)}var zr={show:!0,scale:"y",stroke:ko,space:30,gap:5,alignTo:1,size:50,labelGap:0,labelSize:30,labelFont:_a,side:3,grid:Oo,ticks:ba,
border:xa,font:No,lineGap:ya,rotate:0};function eh(e,t){let n=3+(e||1)*2;return _e(n*t,3)}function th(e,t){let{scale:n,idxs:s}=e.series[0],l=e._data[0],o=e.valToPos(
l[s[0]],n,!0),a=e.valToPos(l[s[1]],n,!0),i=Ue(a-o),u=e.series[t],f=i/(u.points.space*he);return s[1]-s[0]<=f}var Vr={scale:null,auto:!0,sorted:0,min:xe,max:-xe},
Sa=(e,t,n,s,l)=>l,Hr={show:!0,auto:!0,sorted:0,gaps:Sa,alpha:1,facets:[ze({},Vr,{scale:"x"}),ze({},Vr,{scale:"y"})]},qr={scale:"y",auto:!0,sorted:0,show:!0,spanGaps:!1,
gaps:Sa,alpha:1,points:{show:th,filter:null},values:null,min:xe,max:-xe,idxs:[],path:null,clip:null};function nh(e,t,n,s,l){return n/10}var ka={time:!0,auto:!0,
distr:1,log:10,asinh:1,min:null,max:null,dir:1,ori:0},sh=ze({},ka,{time:!1,ori:1}),Ur={};function Ea(e,t){let n=Ur[e];return n||(n={key:e,plots:[],sub(s){n.plots.
push(s)},unsub(s){n.plots=n.plots.filter(l=>l!=s)},pub(s,l,o,a,i,u,f){for(let m=0;m<n.plots.length;m++)n.plots[m]!=l&&n.plots[m].pub(s,l,o,a,i,u,f)}},e!=null&&(Ur[e]=
n)),n}var us=1,yo=2;function In(e,t,n){let s=e.mode,l=e.series[t],o=s==2?e._data[t]:e._data,a=e.scales,i=e.bbox,u=o[0],f=s==2?o[1]:o[t],m=s==2?a[l.facets[0].scale]:
a[e.series[0].scale],w=s==2?a[l.facets[1].scale]:a[l.scale],x=i.left,y=i.top,v=i.width,E=i.height,$=e.valToPosH,C=e.valToPosV;return m.ori==0?n(l,u,f,m,w,$,C,x,
y,v,E,ml,hs,wl,$a,Aa):n(l,u,f,m,w,C,$,y,x,E,v,gl,ds,Io,Ta,Ca)}function Do(e,t){let n=0,s=0,l=ce(e.bands,Co);for(let o=0;o<l.length;o++){let a=l[o];a.series[0]==
t?n=a.dir:a.series[1]==t&&(a.dir==1?s|=1:s|=2)}return[n,s==1?-1:s==2?1:s==3?2:0]}function lh(e,t,n,s,l){let o=e.mode,a=e.series[t],i=o==2?a.facets[1].scale:a.scale,
u=e.scales[i];return l==-1?u.min:l==1?u.max:u.distr==3?u.dir==1?u.min:u.max:0}function rn(e,t,n,s,l,o){return In(e,t,(a,i,u,f,m,w,x,y,v,E,$)=>{let C=a.pxRound,g=f.
dir*(f.ori==0?1:-1),T=f.ori==0?hs:ds,k,K;g==1?(k=n,K=s):(k=s,K=n);let N=C(w(i[k],f,E,y)),Z=C(x(u[k],m,$,v)),G=C(w(i[K],f,E,y)),ee=C(x(o==1?m.max:m.min,m,$,v)),Q=new Path2D(
l);return T(Q,G,ee),T(Q,N,ee),T(Q,N,Z),Q})}function pl(e,t,n,s,l,o){let a=null;if(e.length>0){a=new Path2D;let i=t==0?wl:Io,u=n;for(let w=0;w<e.length;w++){let x=e[w];
if(x[1]>x[0]){let y=x[0]-u;y>0&&i(a,u,s,y,s+o),u=x[1]}}let f=n+l-u,m=10;f>0&&i(a,u,s-m/2,f,s+o+m)}return a}function oh(e,t,n){let s=e[e.length-1];s&&s[0]==t?s[1]=
n:e.push([t,n])}function Po(e,t,n,s,l,o,a){let i=[],u=e.length;for(let f=l==1?n:s;f>=n&&f<=s;f+=l)if(t[f]===null){let w=f,x=f;if(l==1)for(;++f<=s&&t[f]===null;)
x=f;else for(;--f>=n&&t[f]===null;)x=f;let y=o(e[w]),v=x==w?y:o(e[x]),E=w-l;y=a<=0&&E>=0&&E<u?o(e[E]):y;let C=x+l;v=a>=0&&C>=0&&C<u?o(e[C]):v,v>=y&&i.push([y,v])}
return i}function Yr(e){return e==0?na:e==1?qe:t=>Ln(t,e)}function Ma(e){let t=e==0?ml:gl,n=e==0?(l,o,a,i,u,f)=>{l.arcTo(o,a,i,u,f)}:(l,o,a,i,u,f)=>{l.arcTo(a,o,
u,i,f)},s=e==0?(l,o,a,i,u)=>{l.rect(o,a,i,u)}:(l,o,a,i,u)=>{l.rect(a,o,u,i)};return(l,o,a,i,u,f=0,m=0)=>{f==0&&m==0?s(l,o,a,i,u):(f=Ht(f,i/2,u/2),m=Ht(m,i/2,u/2),
t(l,o+f,a),n(l,o+i,a,o+i,a+u,f),n(l,o+i,a+u,o,a+u,m),n(l,o,a+u,o,a,m),n(l,o,a,o+i,a,f),l.closePath())}}var ml=(e,t,n)=>{e.moveTo(t,n)},gl=(e,t,n)=>{e.moveTo(n,t)},
hs=(e,t,n)=>{e.lineTo(t,n)},ds=(e,t,n)=>{e.lineTo(n,t)},wl=Ma(0),Io=Ma(1),$a=(e,t,n,s,l,o)=>{e.arc(t,n,s,l,o)},Ta=(e,t,n,s,l,o)=>{e.arc(n,t,s,l,o)},Aa=(e,t,n,s,l,o,a)=>{
e.bezierCurveTo(t,n,s,l,o,a)},Ca=(e,t,n,s,l,o,a)=>{e.bezierCurveTo(n,t,l,s,a,o)};function Ra(e){return(t,n,s,l,o)=>In(t,n,(a,i,u,f,m,w,x,y,v,E,$)=>{let{pxRound:C,
points:g}=a,T,k;f.ori==0?(T=ml,k=$a):(T=gl,k=Ta);let K=_e(g.width*he,3),N=(g.size-g.width)/2*he,Z=_e(N*2,3),G=new Path2D,ee=new Path2D,{left:Q,top:O,width:ne,height:B}=t.
bbox;wl(ee,Q-Z,O-Z,ne+Z*2,B+Z*2);let j=q=>{if(u[q]!=null){let ie=C(w(i[q],f,E,y)),H=C(x(u[q],m,$,v));T(G,ie+N,H),k(G,ie,H,N,0,il*2)}};if(o)o.forEach(j);else for(let q=s;q<=
l;q++)j(q);return{stroke:K>0?G:null,fill:G,clip:ee,flags:us|yo}})}function La(e){return(t,n,s,l,o,a)=>{s!=l&&(o!=s&&a!=s&&e(t,n,s),o!=l&&a!=l&&e(t,n,l),e(t,n,a))}}
var ih=La(hs),rh=La(ds);function Oa(e){let t=ce(e?.alignGaps,0);return(n,s,l,o)=>In(n,s,(a,i,u,f,m,w,x,y,v,E,$)=>{[l,o]=ul(u,l,o);let C=a.pxRound,g=B=>C(w(B,f,E,
y)),T=B=>C(x(B,m,$,v)),k,K;f.ori==0?(k=hs,K=ih):(k=ds,K=rh);let N=f.dir*(f.ori==0?1:-1),Z={stroke:new Path2D,fill:null,clip:null,band:null,gaps:null,flags:us},G=Z.
stroke,ee=!1;if(o-l>=E*4){let B=z=>n.posToVal(z,f.key,!0),j=null,q=null,ie,H,ht,Te=g(i[N==1?l:o]),re=g(i[l]),ge=g(i[o]),se=B(N==1?re+1:ge-1);for(let z=N==1?l:o;z>=
l&&z<=o;z+=N){let Ve=i[z],Ae=(N==1?Ve<se:Ve>se)?Te:g(Ve),de=u[z];Ae==Te?de!=null?(H=de,j==null?(k(G,Ae,T(H)),ie=j=q=H):H<j?j=H:H>q&&(q=H)):de===null&&(ee=!0):(j!=
null&&K(G,Te,T(j),T(q),T(ie),T(H)),de!=null?(H=de,k(G,Ae,T(H)),j=q=ie=H):(j=q=null,de===null&&(ee=!0)),Te=Ae,se=B(Te+N))}j!=null&&j!=q&&ht!=Te&&K(G,Te,T(j),T(q),
T(ie),T(H))}else for(let B=N==1?l:o;B>=l&&B<=o;B+=N){let j=u[B];j===null?ee=!0:j!=null&&k(G,g(i[B]),T(j))}let[O,ne]=Do(n,s);if(a.fill!=null||O!=0){let B=Z.fill=
new Path2D(G),j=a.fillTo(n,s,a.min,a.max,O),q=T(j),ie=g(i[l]),H=g(i[o]);N==-1&&([H,ie]=[ie,H]),k(B,H,q),k(B,ie,q)}if(!a.spanGaps){let B=[];ee&&B.push(...Po(i,u,
l,o,N,g,t)),Z.gaps=B=a.gaps(n,s,l,o,B),Z.clip=pl(B,f.ori,y,v,E,$)}return ne!=0&&(Z.band=ne==2?[rn(n,s,l,o,G,-1),rn(n,s,l,o,G,1)]:rn(n,s,l,o,G,ne)),Z})}function ah(e){
let t=ce(e.align,1),n=ce(e.ascDesc,!1),s=ce(e.alignGaps,0),l=ce(e.extend,!1);return(o,a,i,u)=>In(o,a,(f,m,w,x,y,v,E,$,C,g,T)=>{[i,u]=ul(w,i,u);let k=f.pxRound,{
left:K,width:N}=o.bbox,Z=re=>k(v(re,x,g,$)),G=re=>k(E(re,y,T,C)),ee=x.ori==0?hs:ds,Q={stroke:new Path2D,fill:null,clip:null,band:null,gaps:null,flags:us},O=Q.stroke,
ne=x.dir*(x.ori==0?1:-1),B=G(w[ne==1?i:u]),j=Z(m[ne==1?i:u]),q=j,ie=j;l&&t==-1&&(ie=K,ee(O,ie,B)),ee(O,j,B);for(let re=ne==1?i:u;re>=i&&re<=u;re+=ne){let ge=w[re];
if(ge==null)continue;let se=Z(m[re]),z=G(ge);t==1?ee(O,se,B):ee(O,q,z),ee(O,se,z),B=z,q=se}let H=q;l&&t==1&&(H=K+N,ee(O,H,B));let[ht,Te]=Do(o,a);if(f.fill!=null||
ht!=0){let re=Q.fill=new Path2D(O),ge=f.fillTo(o,a,f.min,f.max,ht),se=G(ge);ee(re,H,se),ee(re,ie,se)}if(!f.spanGaps){let re=[];re.push(...Po(m,w,i,u,ne,Z,s));let ge=f.
width*he/2,se=n||t==1?ge:-ge,z=n||t==-1?-ge:ge;re.forEach(Ve=>{Ve[0]+=se,Ve[1]+=z}),Q.gaps=re=f.gaps(o,a,i,u,re),Q.clip=pl(re,x.ori,$,C,g,T)}return Te!=0&&(Q.band=
Te==2?[rn(o,a,i,u,O,-1),rn(o,a,i,u,O,1)]:rn(o,a,i,u,O,Te)),Q})}function Gr(e,t,n,s,l,o,a=xe){if(e.length>1){let i=null;for(let u=0,f=1/0;u<e.length;u++)if(t[u]!==
void 0){if(i!=null){let m=Ue(e[u]-e[i]);m<f&&(f=m,a=Ue(n(e[u],s,l,o)-n(e[i],s,l,o)))}i=u}}return a}function ch(e){e=e||Os;let t=ce(e.size,[.6,xe,1]),n=e.align||
0,s=e.gap||0,l=e.radius;l=l==null?[0,0]:typeof l=="number"?[l,0]:l;let o=oe(l),a=1-t[0],i=ce(t[1],xe),u=ce(t[2],1),f=ce(e.disp,Os),m=ce(e.each,y=>{}),{fill:w,stroke:x}=f;
return(y,v,E,$)=>In(y,v,(C,g,T,k,K,N,Z,G,ee,Q,O)=>{let ne=C.pxRound,B=n,j=s*he,q=i*he,ie=u*he,H,ht;k.ori==0?[H,ht]=o(y,v):[ht,H]=o(y,v);let Te=k.dir*(k.ori==0?1:
-1),re=k.ori==0?wl:Io,ge=k.ori==0?m:(I,ye,He,Vn,Sn,Ut,kn)=>{m(I,ye,He,Sn,Vn,kn,Ut)},se=ce(y.bands,Co).find(I=>I.series[0]==v),z=se!=null?se.dir:0,Ve=C.fillTo(y,
v,C.min,C.max,z),ot=ne(Z(Ve,K,O,ee)),Ae,de,Pt,wt=Q,Re=ne(C.width*he),qt=!1,tn=null,$t=null,cn=null,Fn=null;w!=null&&(Re==0||x!=null)&&(qt=!0,tn=w.values(y,v,E,$),
$t=new Map,new Set(tn).forEach(I=>{I!=null&&$t.set(I,new Path2D)}),Re>0&&(cn=x.values(y,v,E,$),Fn=new Map,new Set(cn).forEach(I=>{I!=null&&Fn.set(I,new Path2D)})));
let{x0:Bn,size:gs}=f;if(Bn!=null&&gs!=null){B=1,g=Bn.values(y,v,E,$),Bn.unit==2&&(g=g.map(He=>y.posToVal(G+He*Q,k.key,!0)));let I=gs.values(y,v,E,$);gs.unit==2?
de=I[0]*Q:de=N(I[0],k,Q,G)-N(0,k,Q,G),wt=Gr(g,T,N,k,Q,G,wt),Pt=wt-de+j}else wt=Gr(g,T,N,k,Q,G,wt),Pt=wt*a+j,de=wt-Pt;Pt<1&&(Pt=0),Re>=de/2&&(Re=0),Pt<5&&(ne=na);
let Bs=Pt>0,yn=wt-Pt-(Bs?Re:0);de=ne(bo(yn,ie,q)),Ae=(B==0?de/2:B==Te?0:de)-B*Te*((B==0?j/2:0)+(Bs?Re/2:0));let it={stroke:null,fill:null,clip:null,band:null,gaps:null,
flags:0},zn=qt?null:new Path2D,nn=null;if(se!=null)nn=y.data[se.series[1]];else{let{y0:I,y1:ye}=f;I!=null&&ye!=null&&(T=ye.values(y,v,E,$),nn=I.values(y,v,E,$))}
let vn=H*de,te=ht*de;for(let I=Te==1?E:$;I>=E&&I<=$;I+=Te){let ye=T[I];if(ye==null)continue;if(nn!=null){let dt=nn[I]??0;if(ye-dt==0)continue;ot=Z(dt,K,O,ee)}let He=k.
distr!=2||f!=null?g[I]:I,Vn=N(He,k,Q,G),Sn=Z(ce(ye,Ve),K,O,ee),Ut=ne(Vn-Ae),kn=ne(ut(Sn,ot)),bt=ne(Ht(Sn,ot)),Tt=kn-bt;if(ye!=null){let dt=ye<0?te:vn,It=ye<0?vn:
te;qt?(Re>0&&cn[I]!=null&&re(Fn.get(cn[I]),Ut,bt+St(Re/2),de,ut(0,Tt-Re),dt,It),tn[I]!=null&&re($t.get(tn[I]),Ut,bt+St(Re/2),de,ut(0,Tt-Re),dt,It)):re(zn,Ut,bt+
St(Re/2),de,ut(0,Tt-Re),dt,It),ge(y,v,I,Ut-Re/2,bt,de+Re,Tt)}}return Re>0?it.stroke=qt?Fn:zn:qt||(it._fill=C.width==0?C._fill:C._stroke??C._fill,it.width=0),it.
fill=qt?$t:zn,it})}function uh(e,t){let n=ce(t?.alignGaps,0);return(s,l,o,a)=>In(s,l,(i,u,f,m,w,x,y,v,E,$,C)=>{[o,a]=ul(f,o,a);let g=i.pxRound,T=H=>g(x(H,m,$,v)),
k=H=>g(y(H,w,C,E)),K,N,Z;m.ori==0?(K=ml,Z=hs,N=Aa):(K=gl,Z=ds,N=Ca);let G=m.dir*(m.ori==0?1:-1),ee=T(u[G==1?o:a]),Q=ee,O=[],ne=[];for(let H=G==1?o:a;H>=o&&H<=a;H+=
G)if(f[H]!=null){let Te=u[H],re=T(Te);O.push(Q=re),ne.push(k(f[H]))}let B={stroke:e(O,ne,K,Z,N,g),fill:null,clip:null,band:null,gaps:null,flags:us},j=B.stroke,[
q,ie]=Do(s,l);if(i.fill!=null||q!=0){let H=B.fill=new Path2D(j),ht=i.fillTo(s,l,i.min,i.max,q),Te=k(ht);Z(H,Q,Te),Z(H,ee,Te)}if(!i.spanGaps){let H=[];H.push(...Po(
u,f,o,a,G,T,n)),B.gaps=H=i.gaps(s,l,o,a,H),B.clip=pl(H,m.ori,v,E,$,C)}return ie!=0&&(B.band=ie==2?[rn(s,l,o,a,j,-1),rn(s,l,o,a,j,1)]:rn(s,l,o,a,j,ie)),B})}function fh(e){
return uh(hh,e)}function hh(e,t,n,s,l,o){let a=e.length;if(a<2)return null;let i=new Path2D;if(n(i,e[0],t[0]),a==2)s(i,e[1],t[1]);else{let u=Array(a),f=Array(a-
1),m=Array(a-1),w=Array(a-1);for(let x=0;x<a-1;x++)m[x]=t[x+1]-t[x],w[x]=e[x+1]-e[x],f[x]=m[x]/w[x];u[0]=f[0];for(let x=1;x<a-1;x++)f[x]===0||f[x-1]===0||f[x-1]>
0!=f[x]>0?u[x]=0:(u[x]=3*(w[x-1]+w[x])/((2*w[x]+w[x-1])/f[x-1]+(w[x]+2*w[x-1])/f[x]),isFinite(u[x])||(u[x]=0));u[a-1]=f[a-2];for(let x=0;x<a-1;x++)l(i,e[x]+w[x]/
3,t[x]+u[x]*w[x]/3,e[x+1]-w[x]/3,t[x+1]-u[x+1]*w[x]/3,e[x+1],t[x+1])}return i}var vo=new Set;function Kr(){for(let e of vo)e.syncRect(!0)}fs&&(Dn(Uu,is,Kr),Dn(Yu,
is,Kr,!0),Dn(rl,is,()=>{nt.pxRatio=he}));var dh=Oa(),ph=Ra();function jr(e,t,n,s){return(s?[e[0],e[1]].concat(e.slice(2)):[e[0]].concat(e.slice(1))).map((o,a)=>So(
o,a,t,n))}function mh(e,t){return e.map((n,s)=>s==0?{}:ze({},t,n))}function So(e,t,n,s){return ze({},t==0?n:s,e)}function Na(e,t,n){return t==null?as:[t,n]}var gh=Na;
function wh(e,t,n){return t==null?as:al(t,n,To,!0)}function Da(e,t,n,s){return t==null?as:fl(t,n,e.scales[s].log,!1)}var bh=Da;function Pa(e,t,n,s){return t==null?
as:$o(t,n,e.scales[s].log,!1)}var xh=Pa;function _h(e,t,n,s,l){let o=ut($r(e),$r(t)),a=t-e,i=Vt(l/s*a,n);do{let u=n[i],f=s*u/a;if(f>=l&&o+(u<5?bn.get(u):0)<=17)
return[u,f]}while(++i<n.length);return[0,0]}function Jr(e){let t,n;return e=e.replace(/(\d+)px/,(s,l)=>(t=qe((n=+l)*he))+"px"),[e,t,n]}function yh(e){e.show&&[e.
font,e.labelFont].forEach(t=>{let n=_e(t[2]*he,1);t[0]=t[0].replace(/[0-9.]+px/,n+"px"),t[1]=n})}function nt(e,t,n){let s={mode:ce(e.mode,1)},l=s.mode;function o(r,c,h,d){
let b=c.valToPct(r);return d+h*(c.dir==-1?1-b:b)}function a(r,c,h,d){let b=c.valToPct(r);return d+h*(c.dir==-1?b:1-b)}function i(r,c,h,d){return c.ori==0?o(r,c,
h,d):a(r,c,h,d)}s.valToPosH=o,s.valToPosV=a;let u=!1;s.status=0;let f=s.root=Nt($u);if(e.id!=null&&(f.id=e.id),vt(f,e.class),e.title){let r=Nt(Cu,f);r.textContent=
e.title}let m=zt("canvas"),w=s.ctx=m.getContext("2d"),x=Nt(Ru,f);Dn("click",x,r=>{r.target===v&&(Se!=Xn||Ce!=es)&&tt.click(s,r)},!0);let y=s.under=Nt(Lu,x);x.appendChild(
m);let v=s.over=Nt(Ou,x);e=cs(e);let E=+ce(e.pxAlign,1),$=Yr(E);(e.plugins||[]).forEach(r=>{r.opts&&(e=r.opts(s,e)||e)});let C=e.ms||.001,g=s.series=l==1?jr(e.series||
[],Fr,qr,!1):mh(e.series||[null],Hr),T=s.axes=jr(e.axes||[],Wr,zr,!0),k=s.scales={},K=s.bands=e.bands||[];K.forEach(r=>{r.fill=oe(r.fill||null),r.dir=ce(r.dir,-1)});
let N=l==2?g[1].facets[0].scale:g[0].scale,Z={axes:Bc,series:Dc},G=(e.drawOrder||["axes","series"]).map(r=>Z[r]);function ee(r){let c=r.distr==3?h=>on(h>0?h:r.clamp(
s,h,r.min,r.max,r.key)):r.distr==4?h=>co(h,r.asinh):r.distr==100?h=>r.fwd(h):h=>h;return h=>{let d=c(h),{_min:b,_max:_}=r,S=_-b;return(d-b)/S}}function Q(r){let c=k[r];
if(c==null){let h=(e.scales||Os)[r]||Os;if(h.from!=null){Q(h.from);let d=ze({},k[h.from],h,{key:r});d.valToPct=ee(d),k[r]=d}else{c=k[r]=ze({},r==N?ka:sh,h),c.key=
r;let d=c.time,b=c.range,_=wn(b);if((r!=N||l==2&&!d)&&(_&&(b[0]==null||b[1]==null)&&(b={min:b[0]==null?kr:{mode:1,hard:b[0],soft:b[0]},max:b[1]==null?kr:{mode:1,
hard:b[1],soft:b[1]}},_=!1),!_&&dl(b))){let S=b;b=(A,R,D)=>R==null?as:al(R,D,S)}c.range=oe(b||(d?gh:r==N?c.distr==3?bh:c.distr==4?xh:Na:c.distr==3?Da:c.distr==4?
Pa:wh)),c.auto=oe(_?!1:c.auto),c.clamp=oe(c.clamp||nh),c._min=c._max=null,c.valToPct=ee(c)}}}Q("x"),Q("y"),l==1&&g.forEach(r=>{Q(r.scale)}),T.forEach(r=>{Q(r.scale)});
for(let r in e.scales)Q(r);let O=k[N],ne=O.distr,B,j;O.ori==0?(vt(f,Tu),B=o,j=a):(vt(f,Au),B=a,j=o);let q={};for(let r in k){let c=k[r];(c.min!=null||c.max!=null)&&
(q[r]={min:c.min,max:c.max},c.min=c.max=null)}let ie=e.tzDate||(r=>new Date(qe(r/C))),H=e.fmtDate||Ro,ht=C==1?Af(ie):Lf(ie),Te=Dr(ie,Nr(C==1?Tf:Rf,H)),re=Ir(ie,
Pr(Nf,H)),ge=[],se=s.legend=ze({},If,e.legend),z=s.cursor=ze({},Hf,{drag:{y:l==2}},e.cursor),Ve=se.show,ot=z.show,Ae=se.markers;se.idxs=ge,Ae.width=oe(Ae.width),
Ae.dash=oe(Ae.dash),Ae.stroke=oe(Ae.stroke),Ae.fill=oe(Ae.fill);let de,Pt,wt,Re=[],qt=[],tn,$t=!1,cn={};if(se.live){let r=g[1]?g[1].values:null;$t=r!=null,tn=$t?
r(s,1,0):{_:0};for(let c in tn)cn[c]=Eo}if(Ve)if(de=zt("table",Fu,f),wt=zt("tbody",null,de),se.mount(s,de),$t){Pt=zt("thead",null,de,wt);let r=zt("tr",null,Pt);
zt("th",null,r);for(var Fn in tn)zt("th",fr,r).textContent=Fn}else vt(de,zu),se.live&&vt(de,Bu);let Bn={show:!0},gs={show:!1};function Bs(r,c){if(c==0&&($t||!se.
live||l==2))return as;let h=[],d=zt("tr",Vu,wt,wt.childNodes[c]);vt(d,r.class),r.show||vt(d,Nn);let b=zt("th",null,d);if(Ae.show){let A=Nt(Hu,b);if(c>0){let R=Ae.
width(s,c);R&&(A.style.border=R+"px "+Ae.dash(s,c)+" "+Ae.stroke(s,c)),A.style.background=Ae.fill(s,c)}}let _=Nt(fr,b);r.label instanceof HTMLElement?_.appendChild(
r.label):_.textContent=r.label,c>0&&(Ae.show||(_.style.color=r.width>0?Ae.stroke(s,c):Ae.fill(s,c)),it("click",b,A=>{if(z._lock)return;Mn(A);let R=g.indexOf(r);
if((A.ctrlKey||A.metaKey)!=se.isolate){let D=g.some((P,W)=>W>0&&W!=R&&P.show);g.forEach((P,W)=>{W>0&&Gt(W,D?W==R?Bn:gs:Bn,!0,Fe.setSeries)})}else Gt(R,{show:!r.
show},!0,Fe.setSeries)},!1),qn&&it(mr,b,A=>{z._lock||(Mn(A),Gt(g.indexOf(r),ns,!0,Fe.setSeries))},!1));for(var S in tn){let A=zt("td",qu,d);A.textContent="--",h.
push(A)}return[d,h]}let yn=new Map;function it(r,c,h,d=!0){let b=yn.get(c)||{},_=z.bind[r](s,c,h,d);_&&(Dn(r,c,b[r]=_),yn.set(c,b))}function zn(r,c,h){let d=yn.
get(c)||{};for(let b in d)(r==null||b==r)&&(wo(b,c,d[b]),delete d[b]);r==null&&yn.delete(c)}let nn=0,vn=0,te=0,I=0,ye=0,He=0,Vn=ye,Sn=He,Ut=te,kn=I,bt=0,Tt=0,dt=0,
It=0;s.bbox={};let $l=!1,zs=!1,Hn=!1,En=!1,Vs=!1,At=!1;function Tl(r,c,h){(h||r!=s.width||c!=s.height)&&ti(r,c),jn(!1),Hn=!0,zs=!0,Jn()}function ti(r,c){s.width=
nn=te=r,s.height=vn=I=c,ye=He=0,Tc(),Ac();let h=s.bbox;bt=h.left=Ln(ye*he,.5),Tt=h.top=Ln(He*he,.5),dt=h.width=Ln(te*he,.5),It=h.height=Ln(I*he,.5)}let Ec=3;function Mc(){
let r=!1,c=0;for(;!r;){c++;let h=Wc(c),d=Fc(c);r=c==Ec||h&&d,r||(ti(s.width,s.height),zs=!0)}}function $c({width:r,height:c}){Tl(r,c)}s.setSize=$c;function Tc(){
let r=!1,c=!1,h=!1,d=!1;T.forEach((b,_)=>{if(b.show&&b._show){let{side:S,_size:A}=b,R=S%2,D=b.label!=null?b.labelSize:0,P=A+D;P>0&&(R?(te-=P,S==3?(ye+=P,d=!0):h=
!0):(I-=P,S==0?(He+=P,r=!0):c=!0))}}),$n[0]=r,$n[1]=h,$n[2]=c,$n[3]=d,te-=un[1]+un[3],ye+=un[3],I-=un[2]+un[0],He+=un[0]}function Ac(){let r=ye+te,c=He+I,h=ye,d=He;
function b(_,S){switch(_){case 1:return r+=S,r-S;case 2:return c+=S,c-S;case 3:return h-=S,h+S;case 0:return d-=S,d+S}}T.forEach((_,S)=>{if(_.show&&_._show){let A=_.
side;_._pos=b(A,_._size),_.label!=null&&(_._lpos=b(A,_.labelSize))}})}if(z.dataIdx==null){let r=z.hover,c=r.skip=new Set(r.skip??[]);c.add(void 0);let h=r.prox=
oe(r.prox),d=r.bias??=0;z.dataIdx=(b,_,S,A)=>{if(_==0)return S;let R=S,D=h(b,_,S,A)??xe,P=D>=0&&D<xe,W=O.ori==0?te:I,J=z.left,ue=t[0],ae=t[_];if(c.has(ae[S])){R=
null;let le=null,Y=null,V;if(d==0||d==-1)for(V=S;le==null&&V-- >0;)c.has(ae[V])||(le=V);if(d==0||d==1)for(V=S;Y==null&&V++<ae.length;)c.has(ae[V])||(Y=V);if(le!=
null||Y!=null)if(P){let Ee=le==null?-1/0:B(ue[le],O,W,0),Oe=Y==null?1/0:B(ue[Y],O,W,0),Ze=J-Ee,we=Oe-J;Ze<=we?Ze<=D&&(R=le):we<=D&&(R=Y)}else R=Y==null?le:le==null?
Y:S-le<=Y-S?le:Y}else P&&Ue(J-B(ue[S],O,W,0))>D&&(R=null);return R}}let Mn=r=>{z.event=r};z.idxs=ge,z._lock=!1;let st=z.points;st.show=oe(st.show),st.size=oe(st.
size),st.stroke=oe(st.stroke),st.width=oe(st.width),st.fill=oe(st.fill);let Yt=s.focus=ze({},e.focus||{alpha:.3},z.focus),qn=Yt.prox>=0,Un=qn&&st.one,Ct=[],Yn=[],
Gn=[];function ni(r,c){let h=st.show(s,c);if(h instanceof HTMLElement)return vt(h,Wu),vt(h,r.class),en(h,-10,-10,te,I),v.insertBefore(h,Ct[c]),h}function si(r,c){
if(l==1||c>0){let h=l==1&&k[r.scale].time,d=r.value;r.value=h?Cr(d)?Ir(ie,Pr(d,H)):d||re:d||Xf,r.label=r.label||(h?Uf:qf)}if(Un||c>0){r.width=r.width==null?1:r.
width,r.paths=r.paths||dh||nf,r.fillTo=oe(r.fillTo||lh),r.pxAlign=+ce(r.pxAlign,E),r.pxRound=Yr(r.pxAlign),r.stroke=oe(r.stroke||null),r.fill=oe(r.fill||null),r.
_stroke=r._fill=r._paths=r._focus=null;let h=eh(ut(1,r.width),1),d=r.points=ze({},{size:h,width:ut(1,h*.2),stroke:r.stroke,space:h*2,paths:ph,_stroke:null,_fill:null},
r.points);d.show=oe(d.show),d.filter=oe(d.filter),d.fill=oe(d.fill),d.stroke=oe(d.stroke),d.paths=oe(d.paths),d.pxAlign=r.pxAlign}if(Ve){let h=Bs(r,c);Re.splice(
c,0,h[0]),qt.splice(c,0,h[1]),se.values.push(null)}if(ot){ge.splice(c,0,null);let h=null;Un?c==0&&(h=ni(r,c)):c>0&&(h=ni(r,c)),Ct.splice(c,0,h),Yn.splice(c,0,0),
Gn.splice(c,0,0)}Je("addSeries",c)}function Cc(r,c){c=c??g.length,r=l==1?So(r,c,Fr,qr):So(r,c,{},Hr),g.splice(c,0,r),si(g[c],c)}s.addSeries=Cc;function Rc(r){if(g.
splice(r,1),Ve){se.values.splice(r,1),qt.splice(r,1);let c=Re.splice(r,1)[0];zn(null,c.firstChild),c.remove()}ot&&(ge.splice(r,1),Ct.splice(r,1)[0].remove(),Yn.
splice(r,1),Gn.splice(r,1)),Je("delSeries",r)}s.delSeries=Rc;let $n=[!1,!1,!1,!1];function Lc(r,c){if(r._show=r.show,r.show){let h=r.side%2,d=k[r.scale];d==null&&
(r.scale=h?g[1].scale:N,d=k[r.scale]);let b=d.time;r.size=oe(r.size),r.space=oe(r.space),r.rotate=oe(r.rotate),wn(r.incrs)&&r.incrs.forEach(S=>{!bn.has(S)&&bn.set(
S,oa(S))}),r.incrs=oe(r.incrs||(d.distr==2?Ef:b?C==1?$f:Cf:On)),r.splits=oe(r.splits||(b&&d.distr==1?ht:d.distr==3?xo:d.distr==4?Kf:Gf)),r.stroke=oe(r.stroke),r.
grid.stroke=oe(r.grid.stroke),r.ticks.stroke=oe(r.ticks.stroke),r.border.stroke=oe(r.border.stroke);let _=r.values;r.values=wn(_)&&!wn(_[0])?oe(_):b?wn(_)?Dr(ie,
Nr(_,H)):Cr(_)?Of(ie,_):_||Te:_||Yf,r.filter=oe(r.filter||(d.distr>=3&&d.log==10?Zf:d.distr==3&&d.log==2?Qf:sa)),r.font=Jr(r.font),r.labelFont=Jr(r.labelFont),r.
_size=r.size(s,null,c,0),r._space=r._rotate=r._incrs=r._found=r._splits=r._values=null,r._size>0&&($n[c]=!0,r._el=Nt(Nu,x))}}function ws(r,c,h,d){let[b,_,S,A]=h,
R=c%2,D=0;return R==0&&(A||_)&&(D=c==0&&!b||c==2&&!S?qe(Wr.size/3):0),R==1&&(b||S)&&(D=c==1&&!_||c==3&&!A?qe(zr.size/2):0),D}let li=s.padding=(e.padding||[ws,ws,
ws,ws]).map(r=>oe(ce(r,ws))),un=s._padding=li.map((r,c)=>r(s,c,$n,0)),et,Ye=null,Ge=null,Hs=l==1?g[0].idxs:null,Wt=null,bs=!1;function oi(r,c){if(t=r??[],s.data=
s._data=t,l==2){et=0;for(let h=1;h<g.length;h++)et+=t[h][0].length}else{t.length==0&&(s.data=s._data=t=[[]]),Wt=t[0],et=Wt.length;let h=t;if(ne==2){h=t.slice();
let d=h[0]=Array(et);for(let b=0;b<et;b++)d[b]=b}s._data=t=h}if(jn(!0),Je("setData"),ne==2&&(Hn=!0),c!==!1){let h=O;h.auto(s,bs)?Al():hn(N,h.min,h.max),En=En||z.
left>=0,At=!0,Jn()}}s.setData=oi;function Al(){bs=!0;let r,c;l==1&&(et>0?(Ye=Hs[0]=0,Ge=Hs[1]=et-1,r=t[0][Ye],c=t[0][Ge],ne==2?(r=Ye,c=Ge):r==c&&(ne==3?[r,c]=fl(
r,r,O.log,!1):ne==4?[r,c]=$o(r,r,O.log,!1):O.time?c=r+qe(86400/C):[r,c]=al(r,c,To,!0))):(Ye=Hs[0]=r=null,Ge=Hs[1]=c=null)),hn(N,r,c)}let qs,Kn,Cl,Rl,Ll,Ol,Nl,Dl,
Pl,pt;function ii(r,c,h,d,b,_){r??=dr,h??=Co,d??="butt",b??=dr,_??="round",r!=qs&&(w.strokeStyle=qs=r),b!=Kn&&(w.fillStyle=Kn=b),c!=Cl&&(w.lineWidth=Cl=c),_!=Ll&&
(w.lineJoin=Ll=_),d!=Ol&&(w.lineCap=Ol=d),h!=Rl&&w.setLineDash(Rl=h)}function ri(r,c,h,d){c!=Kn&&(w.fillStyle=Kn=c),r!=Nl&&(w.font=Nl=r),h!=Dl&&(w.textAlign=Dl=
h),d!=Pl&&(w.textBaseline=Pl=d)}function Il(r,c,h,d,b=0){if(d.length>0&&r.auto(s,bs)&&(c==null||c.min==null)){let _=ce(Ye,0),S=ce(Ge,d.length-1),A=h.min==null?Ju(
d,_,S,b,r.distr==3):[h.min,h.max];r.min=Ht(r.min,h.min=A[0]),r.max=ut(r.max,h.max=A[1])}}let ai={min:null,max:null};function Oc(){for(let d in k){let b=k[d];q[d]==
null&&(b.min==null||q[N]!=null&&b.auto(s,bs))&&(q[d]=ai)}for(let d in k){let b=k[d];q[d]==null&&b.from!=null&&q[b.from]!=null&&(q[d]=ai)}q[N]!=null&&jn(!0);let r={};
for(let d in q){let b=q[d];if(b!=null){let _=r[d]=cs(k[d],of);if(b.min!=null)ze(_,b);else if(d!=N||l==2)if(et==0&&_.from==null){let S=_.range(s,null,null,d);_.min=
S[0],_.max=S[1]}else _.min=xe,_.max=-xe}}if(et>0){g.forEach((d,b)=>{if(l==1){let _=d.scale,S=q[_];if(S==null)return;let A=r[_];if(b==0){let R=A.range(s,A.min,A.
max,_);A.min=R[0],A.max=R[1],Ye=Vt(A.min,t[0]),Ge=Vt(A.max,t[0]),Ge-Ye>1&&(t[0][Ye]<A.min&&Ye++,t[0][Ge]>A.max&&Ge--),d.min=Wt[Ye],d.max=Wt[Ge]}else d.show&&d.auto&&
Il(A,S,d,t[b],d.sorted);d.idxs[0]=Ye,d.idxs[1]=Ge}else if(b>0&&d.show&&d.auto){let[_,S]=d.facets,A=_.scale,R=S.scale,[D,P]=t[b],W=r[A],J=r[R];W!=null&&Il(W,q[A],
_,D,_.sorted),J!=null&&Il(J,q[R],S,P,S.sorted),d.min=S.min,d.max=S.max}});for(let d in r){let b=r[d],_=q[d];if(b.from==null&&(_==null||_.min==null)){let S=b.range(
s,b.min==xe?null:b.min,b.max==-xe?null:b.max,d);b.min=S[0],b.max=S[1]}}}for(let d in r){let b=r[d];if(b.from!=null){let _=r[b.from];if(_.min==null)b.min=b.max=null;else{
let S=b.range(s,_.min,_.max,d);b.min=S[0],b.max=S[1]}}}let c={},h=!1;for(let d in r){let b=r[d],_=k[d];if(_.min!=b.min||_.max!=b.max){_.min=b.min,_.max=b.max;let S=_.
distr;_._min=S==3?on(_.min):S==4?co(_.min,_.asinh):S==100?_.fwd(_.min):_.min,_._max=S==3?on(_.max):S==4?co(_.max,_.asinh):S==100?_.fwd(_.max):_.max,c[d]=h=!0}}if(h){
g.forEach((d,b)=>{l==2?b>0&&c.y&&(d._paths=null):c[d.scale]&&(d._paths=null)});for(let d in c)Hn=!0,Je("setScale",d);ot&&z.left>=0&&(En=At=!0)}for(let d in q)q[d]=
null}function Nc(r){let c=bo(Ye-1,0,et-1),h=bo(Ge+1,0,et-1);for(;r[c]==null&&c>0;)c--;for(;r[h]==null&&h<et-1;)h++;return[c,h]}function Dc(){if(et>0){let r=g.some(
c=>c._focus)&&pt!=Yt.alpha;r&&(w.globalAlpha=pt=Yt.alpha),g.forEach((c,h)=>{if(h>0&&c.show&&(ci(h,!1),ci(h,!0),c._paths==null)){let d=pt;pt!=c.alpha&&(w.globalAlpha=
pt=c.alpha);let b=l==2?[0,t[h][0].length-1]:Nc(t[h]);c._paths=c.paths(s,h,b[0],b[1]),pt!=d&&(w.globalAlpha=pt=d)}}),g.forEach((c,h)=>{if(h>0&&c.show){let d=pt;pt!=
c.alpha&&(w.globalAlpha=pt=c.alpha),c._paths!=null&&ui(h,!1);{let b=c._paths!=null?c._paths.gaps:null,_=c.points.show(s,h,Ye,Ge,b),S=c.points.filter(s,h,_,b);(_||
S)&&(c.points._paths=c.points.paths(s,h,Ye,Ge,S),ui(h,!0))}pt!=d&&(w.globalAlpha=pt=d),Je("drawSeries",h)}}),r&&(w.globalAlpha=pt=1)}}function ci(r,c){let h=c?g[r].
points:g[r];h._stroke=h.stroke(s,r),h._fill=h.fill(s,r)}function ui(r,c){let h=c?g[r].points:g[r],{stroke:d,fill:b,clip:_,flags:S,_stroke:A=h._stroke,_fill:R=h.
_fill,_width:D=h.width}=h._paths;D=_e(D*he,3);let P=null,W=D%2/2;c&&R==null&&(R=D>0?"#fff":A);let J=h.pxAlign==1&&W>0;if(J&&w.translate(W,W),!c){let ue=bt-D/2,ae=Tt-
D/2,le=dt+D,Y=It+D;P=new Path2D,P.rect(ue,ae,le,Y)}c?Wl(A,D,h.dash,h.cap,R,d,b,S,_):Pc(r,A,D,h.dash,h.cap,R,d,b,S,P,_),J&&w.translate(-W,-W)}function Pc(r,c,h,d,b,_,S,A,R,D,P){
let W=!1;R!=0&&K.forEach((J,ue)=>{if(J.series[0]==r){let ae=g[J.series[1]],le=t[J.series[1]],Y=(ae._paths||Os).band;wn(Y)&&(Y=J.dir==1?Y[0]:Y[1]);let V,Ee=null;
ae.show&&Y&&Qu(le,Ye,Ge)?(Ee=J.fill(s,ue)||_,V=ae._paths.clip):Y=null,Wl(c,h,d,b,Ee,S,A,R,D,P,V,Y),W=!0}}),W||Wl(c,h,d,b,_,S,A,R,D,P)}let fi=us|yo;function Wl(r,c,h,d,b,_,S,A,R,D,P,W){
ii(r,c,h,d,b),(R||D||W)&&(w.save(),R&&w.clip(R),D&&w.clip(D)),W?(A&fi)==fi?(w.clip(W),P&&w.clip(P),Ys(b,S),Us(r,_,c)):A&yo?(Ys(b,S),w.clip(W),Us(r,_,c)):A&us&&(w.
save(),w.clip(W),P&&w.clip(P),Ys(b,S),w.restore(),Us(r,_,c)):(Ys(b,S),Us(r,_,c)),(R||D||W)&&w.restore()}function Us(r,c,h){h>0&&(c instanceof Map?c.forEach((d,b)=>{
w.strokeStyle=qs=b,w.stroke(d)}):c!=null&&r&&w.stroke(c))}function Ys(r,c){c instanceof Map?c.forEach((h,d)=>{w.fillStyle=Kn=d,w.fill(h)}):c!=null&&r&&w.fill(c)}
function Ic(r,c,h,d){let b=T[r],_;if(d<=0)_=[0,0];else{let S=b._space=b.space(s,r,c,h,d),A=b._incrs=b.incrs(s,r,c,h,d,S);_=_h(c,h,A,d,S)}return b._found=_}function Fl(r,c,h,d,b,_,S,A,R,D){
let P=S%2/2;E==1&&w.translate(P,P),ii(A,S,R,D,A),w.beginPath();let W,J,ue,ae,le=b+(d==0||d==3?-_:_);h==0?(J=b,ae=le):(W=b,ue=le);for(let Y=0;Y<r.length;Y++)c[Y]!=
null&&(h==0?W=ue=r[Y]:J=ae=r[Y],w.moveTo(W,J),w.lineTo(ue,ae));w.stroke(),E==1&&w.translate(-P,-P)}function Wc(r){let c=!0;return T.forEach((h,d)=>{if(!h.show)return;
let b=k[h.scale];if(b.min==null){h._show&&(c=!1,h._show=!1,jn(!1));return}else h._show||(c=!1,h._show=!0,jn(!1));let _=h.side,S=_%2,{min:A,max:R}=b,[D,P]=Ic(d,A,
R,S==0?te:I);if(P==0)return;let W=b.distr==2,J=h._splits=h.splits(s,d,A,R,D,P,W),ue=b.distr==2?J.map(V=>Wt[V]):J,ae=b.distr==2?Wt[J[1]]-Wt[J[0]]:D,le=h._values=
h.values(s,h.filter(s,ue,d,P,ae),d,P,ae);h._rotate=_==2?h.rotate(s,le,d,P):0;let Y=h._size;h._size=Dt(h.size(s,le,d,r)),Y!=null&&h._size!=Y&&(c=!1)}),c}function Fc(r){
let c=!0;return li.forEach((h,d)=>{let b=h(s,d,$n,r);b!=un[d]&&(c=!1),un[d]=b}),c}function Bc(){for(let r=0;r<T.length;r++){let c=T[r];if(!c.show||!c._show)continue;
let h=c.side,d=h%2,b,_,S=c.stroke(s,r),A=h==0||h==3?-1:1,[R,D]=c._found;if(c.label!=null){let at=c.labelGap*A,yt=qe((c._lpos+at)*he);ri(c.labelFont[0],S,"center",
h==2?"top":hr),w.save(),d==1?(b=_=0,w.translate(yt,qe(Tt+It/2)),w.rotate((h==3?-il:il)/2)):(b=qe(bt+dt/2),_=yt);let Cn=ta(c.label)?c.label(s,r,R,D):c.label;w.fillText(
Cn,b,_),w.restore()}if(D==0)continue;let P=k[c.scale],W=d==0?dt:It,J=d==0?bt:Tt,ue=c._splits,ae=P.distr==2?ue.map(at=>Wt[at]):ue,le=P.distr==2?Wt[ue[1]]-Wt[ue[0]]:
R,Y=c.ticks,V=c.border,Ee=Y.show?Y.size:0,Oe=qe(Ee*he),Ze=qe((c.alignTo==2?c._size-Ee-c.gap:c.gap)*he),we=c._rotate*-il/180,Ne=$(c._pos*he),xt=(Oe+Ze)*A,rt=Ne+xt;
_=d==0?rt:0,b=d==1?rt:0;let Rt=c.font[0],Ft=c.align==1?ls:c.align==2?io:we>0?ls:we<0?io:d==0?"center":h==3?io:ls,jt=we||d==1?"middle":h==2?"top":hr;ri(Rt,S,Ft,jt);
let _t=c.font[1]*c.lineGap,Lt=ue.map(at=>$(i(at,P,W,J))),Bt=c._values;for(let at=0;at<Bt.length;at++){let yt=Bt[at];if(yt!=null){d==0?b=Lt[at]:_=Lt[at],yt=""+yt;
let Cn=yt.indexOf(`
`)==-1?[yt]:yt.split(/\n/gm);for(let ct=0;ct<Cn.length;ct++){let Ci=Cn[ct];we?(w.save(),w.translate(b,_+ct*_t),w.rotate(we),w.fillText(Ci,0,0),w.restore()):w.fillText(
Ci,b,_+ct*_t)}}}Y.show&&Fl(Lt,Y.filter(s,ae,r,D,le),d,h,Ne,Oe,_e(Y.width*he,3),Y.stroke(s,r),Y.dash,Y.cap);let Jt=c.grid;Jt.show&&Fl(Lt,Jt.filter(s,ae,r,D,le),d,
d==0?2:1,d==0?Tt:bt,d==0?It:dt,_e(Jt.width*he,3),Jt.stroke(s,r),Jt.dash,Jt.cap),V.show&&Fl([Ne],[1],d==0?1:0,d==0?1:2,d==1?Tt:bt,d==1?It:dt,_e(V.width*he,3),V.stroke(
s,r),V.dash,V.cap)}Je("drawAxes")}function jn(r){g.forEach((c,h)=>{h>0&&(c._paths=null,r&&(l==1?(c.min=null,c.max=null):c.facets.forEach(d=>{d.min=null,d.max=null})))})}
let Gs=!1,Bl=!1,xs=[];function zc(){Bl=!1;for(let r=0;r<xs.length;r++)Je(...xs[r]);xs.length=0}function Jn(){Gs||(df(hi),Gs=!0)}function Vc(r,c=!1){Gs=!0,Bl=c,r(
s),hi(),c&&xs.length>0&&queueMicrotask(zc)}s.batch=Vc;function hi(){if($l&&(Oc(),$l=!1),Hn&&(Mc(),Hn=!1),zs){if($e(y,ls,ye),$e(y,"top",He),$e(y,As,te),$e(y,Cs,I),
$e(v,ls,ye),$e(v,"top",He),$e(v,As,te),$e(v,Cs,I),$e(x,As,nn),$e(x,Cs,vn),m.width=qe(nn*he),m.height=qe(vn*he),T.forEach(({_el:r,_show:c,_size:h,_pos:d,side:b})=>{
if(r!=null)if(c){let _=b===3||b===0?h:0,S=b%2==1;$e(r,S?"left":"top",d-_),$e(r,S?"width":"height",h),$e(r,S?"top":"left",S?He:ye),$e(r,S?"height":"width",S?I:te),
go(r,Nn)}else vt(r,Nn)}),qs=Kn=Cl=Ll=Ol=Nl=Dl=Pl=Rl=null,pt=1,vs(!0),ye!=Vn||He!=Sn||te!=Ut||I!=kn){jn(!1);let r=te/Ut,c=I/kn;if(ot&&!En&&z.left>=0){z.left*=r,z.
top*=c,Zn&&en(Zn,qe(z.left),0,te,I),Qn&&en(Qn,0,qe(z.top),te,I);for(let h=0;h<Ct.length;h++){let d=Ct[h];d!=null&&(Yn[h]*=r,Gn[h]*=c,en(d,Dt(Yn[h]),Dt(Gn[h]),te,
I))}}if(ke.show&&!Vs&&ke.left>=0&&ke.width>0){ke.left*=r,ke.width*=r,ke.top*=c,ke.height*=c;for(let h in Yl)$e(ts,h,ke[h])}Vn=ye,Sn=He,Ut=te,kn=I}Je("setSize"),
zs=!1}nn>0&&vn>0&&(w.clearRect(0,0,m.width,m.height),Je("drawClear"),G.forEach(r=>r()),Je("draw")),ke.show&&Vs&&(Ks(ke),Vs=!1),ot&&En&&(An(null,!0,!1),En=!1),se.
show&&se.live&&At&&(ql(),At=!1),u||(u=!0,s.status=1,Je("ready")),bs=!1,Gs=!1}s.redraw=(r,c)=>{Hn=c||!1,r!==!1?hn(N,O.min,O.max):Jn()};function zl(r,c){let h=k[r];
if(h.from==null){if(et==0){let d=h.range(s,c.min,c.max,r);c.min=d[0],c.max=d[1]}if(c.min>c.max){let d=c.min;c.min=c.max,c.max=d}if(et>1&&c.min!=null&&c.max!=null&&
c.max-c.min<1e-16)return;r==N&&h.distr==2&&et>0&&(c.min=Vt(c.min,t[0]),c.max=Vt(c.max,t[0]),c.min==c.max&&c.max++),q[r]=c,$l=!0,Jn()}}s.setScale=zl;let Vl,Hl,Zn,
Qn,di,pi,Xn,es,mi,gi,Se,Ce,fn=!1,tt=z.drag,Ke=tt.x,je=tt.y;ot&&(z.x&&(Vl=Nt(Pu,v)),z.y&&(Hl=Nt(Iu,v)),O.ori==0?(Zn=Vl,Qn=Hl):(Zn=Hl,Qn=Vl),Se=z.left,Ce=z.top);let ke=s.
select=ze({show:!0,over:!0,left:0,width:0,top:0,height:0},e.select),ts=ke.show?Nt(Du,ke.over?v:y):null;function Ks(r,c){if(ke.show){for(let h in r)ke[h]=r[h],h in
Yl&&$e(ts,h,r[h]);c!==!1&&Je("setSelect")}}s.setSelect=Ks;function Hc(r){if(g[r].show)Ve&&go(Re[r],Nn);else if(Ve&&vt(Re[r],Nn),ot){let h=Un?Ct[0]:Ct[r];h!=null&&
en(h,-10,-10,te,I)}}function hn(r,c,h){zl(r,{min:c,max:h})}function Gt(r,c,h,d){c.focus!=null&&Kc(r),c.show!=null&&g.forEach((b,_)=>{_>0&&(r==_||r==null)&&(b.show=
c.show,Hc(_),l==2?(hn(b.facets[0].scale,null,null),hn(b.facets[1].scale,null,null)):hn(b.scale,null,null),Jn())}),h!==!1&&Je("setSeries",r,c),d&&Ss("setSeries",
s,r,c)}s.setSeries=Gt;function qc(r,c){ze(K[r],c)}function Uc(r,c){r.fill=oe(r.fill||null),r.dir=ce(r.dir,-1),c=c??K.length,K.splice(c,0,r)}function Yc(r){r==null?
K.length=0:K.splice(r,1)}s.addBand=Uc,s.setBand=qc,s.delBand=Yc;function Gc(r,c){g[r].alpha=c,ot&&Ct[r]!=null&&(Ct[r].style.opacity=c),Ve&&Re[r]&&(Re[r].style.opacity=
c)}let sn,dn,Tn,ns={focus:!0};function Kc(r){if(r!=Tn){let c=r==null,h=Yt.alpha!=1;g.forEach((d,b)=>{if(l==1||b>0){let _=c||b==0||b==r;d._focus=c?null:_,h&&Gc(b,
_?1:Yt.alpha)}}),Tn=r,h&&Jn()}}Ve&&qn&&it(gr,de,r=>{z._lock||(Mn(r),Tn!=null&&Gt(null,ns,!0,Fe.setSeries))});function Kt(r,c,h){let d=k[c];h&&(r=r/he-(d.ori==1?
He:ye));let b=te;d.ori==1&&(b=I,r=b-r),d.dir==-1&&(r=b-r);let _=d._min,S=d._max,A=r/b,R=_+(S-_)*A,D=d.distr;return D==3?rs(10,R):D==4?ef(R,d.asinh):D==100?d.bwd(
R):R}function jc(r,c){let h=Kt(r,N,c);return Vt(h,t[0],Ye,Ge)}s.valToIdx=r=>Vt(r,t[0]),s.posToIdx=jc,s.posToVal=Kt,s.valToPos=(r,c,h)=>k[c].ori==0?o(r,k[c],h?dt:
te,h?bt:0):a(r,k[c],h?It:I,h?Tt:0),s.setCursor=(r,c,h)=>{Se=r.left,Ce=r.top,An(null,c,h)};function wi(r,c){$e(ts,ls,ke.left=r),$e(ts,As,ke.width=c)}function bi(r,c){
$e(ts,"top",ke.top=r),$e(ts,Cs,ke.height=c)}let _s=O.ori==0?wi:bi,ys=O.ori==1?wi:bi;function Jc(){if(Ve&&se.live)for(let r=l==2?1:0;r<g.length;r++){if(r==0&&$t)
continue;let c=se.values[r],h=0;for(let d in c)qt[r][h++].firstChild.nodeValue=c[d]}}function ql(r,c){if(r!=null&&(r.idxs?r.idxs.forEach((h,d)=>{ge[d]=h}):lf(r.
idx)||ge.fill(r.idx),se.idx=ge[0]),Ve&&se.live){for(let h=0;h<g.length;h++)(h>0||l==1&&!$t)&&Zc(h,ge[h]);Jc()}At=!1,c!==!1&&Je("setLegend")}s.setLegend=ql;function Zc(r,c){
let h=g[r],d=r==0&&ne==2?Wt:t[r],b;$t?b=h.values(s,r,c)??cn:(b=h.value(s,c==null?null:d[c],r,c),b=b==null?cn:{_:b}),se.values[r]=b}function An(r,c,h){mi=Se,gi=Ce,
[Se,Ce]=z.move(s,Se,Ce),z.left=Se,z.top=Ce,ot&&(Zn&&en(Zn,qe(Se),0,te,I),Qn&&en(Qn,0,qe(Ce),te,I));let d,b=Ye>Ge;sn=xe,dn=null;let _=O.ori==0?te:I,S=O.ori==1?te:
I;if(Se<0||et==0||b){d=z.idx=null;for(let A=0;A<g.length;A++){let R=Ct[A];R!=null&&en(R,-10,-10,te,I)}qn&&Gt(null,ns,!0,r==null&&Fe.setSeries),se.live&&(ge.fill(
d),At=!0)}else{let A,R,D;l==1&&(A=O.ori==0?Se:Ce,R=Kt(A,N),d=z.idx=Vt(R,t[0],Ye,Ge),D=B(t[0][d],O,_,0));let P=-10,W=-10,J=0,ue=0,ae=!0,le="",Y="";for(let V=l==2?
1:0;V<g.length;V++){let Ee=g[V],Oe=ge[V],Ze=Oe==null?null:l==1?t[V][Oe]:t[V][1][Oe],we=z.dataIdx(s,V,d,R),Ne=we==null?null:l==1?t[V][we]:t[V][1][we];if(At=At||Ne!=
Ze||we!=Oe,ge[V]=we,V>0&&Ee.show){let xt=we==null?-10:we==d?D:B(l==1?t[0][we]:t[V][0][we],O,_,0),rt=Ne==null?-10:j(Ne,l==1?k[Ee.scale]:k[Ee.facets[1].scale],S,0);
if(qn&&Ne!=null){let Rt=O.ori==1?Se:Ce,Ft=Ue(Yt.dist(s,V,we,rt,Rt));if(Ft<sn){let jt=Yt.bias;if(jt!=0){let _t=Kt(Rt,Ee.scale),Lt=Ne>=0?1:-1,Bt=_t>=0?1:-1;Bt==Lt&&
(Bt==1?jt==1?Ne>=_t:Ne<=_t:jt==1?Ne<=_t:Ne>=_t)&&(sn=Ft,dn=V)}else sn=Ft,dn=V}}if(At||Un){let Rt,Ft;O.ori==0?(Rt=xt,Ft=rt):(Rt=rt,Ft=xt);let jt,_t,Lt,Bt,Jt,at,yt=!0,
Cn=st.bbox;if(Cn!=null){yt=!1;let ct=Cn(s,V);Lt=ct.left,Bt=ct.top,jt=ct.width,_t=ct.height}else Lt=Rt,Bt=Ft,jt=_t=st.size(s,V);if(at=st.fill(s,V),Jt=st.stroke(s,
V),Un)V==dn&&sn<=Yt.prox&&(P=Lt,W=Bt,J=jt,ue=_t,ae=yt,le=at,Y=Jt);else{let ct=Ct[V];ct!=null&&(Yn[V]=Lt,Gn[V]=Bt,Sr(ct,jt,_t,yt),yr(ct,at,Jt),en(ct,Dt(Lt),Dt(Bt),
te,I))}}}}if(Un){let V=Yt.prox,Ee=Tn==null?sn<=V:sn>V||dn!=Tn;if(At||Ee){let Oe=Ct[0];Oe!=null&&(Yn[0]=P,Gn[0]=W,Sr(Oe,J,ue,ae),yr(Oe,le,Y),en(Oe,Dt(P),Dt(W),te,
I))}}}if(ke.show&&fn)if(r!=null){let[A,R]=Fe.scales,[D,P]=Fe.match,[W,J]=r.cursor.sync.scales,ue=r.cursor.drag;if(Ke=ue._x,je=ue._y,Ke||je){let{left:ae,top:le,width:Y,
height:V}=r.select,Ee=r.scales[W].ori,Oe=r.posToVal,Ze,we,Ne,xt,rt,Rt=A!=null&&D(A,W),Ft=R!=null&&P(R,J);Rt&&Ke?(Ee==0?(Ze=ae,we=Y):(Ze=le,we=V),Ne=k[A],xt=B(Oe(
Ze,W),Ne,_,0),rt=B(Oe(Ze+we,W),Ne,_,0),_s(Ht(xt,rt),Ue(rt-xt))):_s(0,_),Ft&&je?(Ee==1?(Ze=ae,we=Y):(Ze=le,we=V),Ne=k[R],xt=j(Oe(Ze,J),Ne,S,0),rt=j(Oe(Ze+we,J),Ne,
S,0),ys(Ht(xt,rt),Ue(rt-xt))):ys(0,S)}else Gl()}else{let A=Ue(mi-di),R=Ue(gi-pi);if(O.ori==1){let J=A;A=R,R=J}Ke=tt.x&&A>=tt.dist,je=tt.y&&R>=tt.dist;let D=tt.uni;
D!=null?Ke&&je&&(Ke=A>=D,je=R>=D,!Ke&&!je&&(R>A?je=!0:Ke=!0)):tt.x&&tt.y&&(Ke||je)&&(Ke=je=!0);let P,W;Ke&&(O.ori==0?(P=Xn,W=Se):(P=es,W=Ce),_s(Ht(P,W),Ue(W-P)),
je||ys(0,S)),je&&(O.ori==1?(P=Xn,W=Se):(P=es,W=Ce),ys(Ht(P,W),Ue(W-P)),Ke||_s(0,_)),!Ke&&!je&&(_s(0,0),ys(0,0))}if(tt._x=Ke,tt._y=je,r==null){if(h){if(Ai!=null){
let[A,R]=Fe.scales;Fe.values[0]=A!=null?Kt(O.ori==0?Se:Ce,A):null,Fe.values[1]=R!=null?Kt(O.ori==1?Se:Ce,R):null}Ss(ro,s,Se,Ce,te,I,d)}if(qn){let A=h&&Fe.setSeries,
R=Yt.prox;Tn==null?sn<=R&&Gt(dn,ns,!0,A):sn>R?Gt(null,ns,!0,A):dn!=Tn&&Gt(dn,ns,!0,A)}}At&&(se.idx=d,ql()),c!==!1&&Je("setCursor")}let pn=null;Object.defineProperty(
s,"rect",{get(){return pn==null&&vs(!1),pn}});function vs(r=!1){r?pn=null:(pn=v.getBoundingClientRect(),Je("syncRect",pn))}function xi(r,c,h,d,b,_,S){z._lock||fn&&
r!=null&&r.movementX==0&&r.movementY==0||(Ul(r,c,h,d,b,_,S,!1,r!=null),r!=null?An(null,!0,!0):An(c,!0,!1))}function Ul(r,c,h,d,b,_,S,A,R){if(pn==null&&vs(!1),Mn(
r),r!=null)h=r.clientX-pn.left,d=r.clientY-pn.top;else{if(h<0||d<0){Se=-10,Ce=-10;return}let[D,P]=Fe.scales,W=c.cursor.sync,[J,ue]=W.values,[ae,le]=W.scales,[Y,
V]=Fe.match,Ee=c.axes[0].side%2==1,Oe=O.ori==0?te:I,Ze=O.ori==1?te:I,we=Ee?_:b,Ne=Ee?b:_,xt=Ee?d:h,rt=Ee?h:d;if(ae!=null?h=Y(D,ae)?i(J,k[D],Oe,0):-10:h=Oe*(xt/we),
le!=null?d=V(P,le)?i(ue,k[P],Ze,0):-10:d=Ze*(rt/Ne),O.ori==1){let Rt=h;h=d,d=Rt}}R&&(c==null||c.cursor.event.type==ro)&&((h<=1||h>=te-1)&&(h=Ln(h,te)),(d<=1||d>=
I-1)&&(d=Ln(d,I))),A?(di=h,pi=d,[Xn,es]=z.move(s,h,d)):(Se=h,Ce=d)}let Yl={width:0,height:0,left:0,top:0};function Gl(){Ks(Yl,!1)}let _i,yi,vi,Si;function ki(r,c,h,d,b,_,S){
fn=!0,Ke=je=tt._x=tt._y=!1,Ul(r,c,h,d,b,_,S,!0,!1),r!=null&&(it(ao,po,Ei,!1),Ss(pr,s,Xn,es,te,I,null));let{left:A,top:R,width:D,height:P}=ke;_i=A,yi=R,vi=D,Si=P}
function Ei(r,c,h,d,b,_,S){fn=tt._x=tt._y=!1,Ul(r,c,h,d,b,_,S,!1,!0);let{left:A,top:R,width:D,height:P}=ke,W=D>0||P>0,J=_i!=A||yi!=R||vi!=D||Si!=P;if(W&&J&&Ks(ke),
tt.setScale&&W&&J){let ue=A,ae=D,le=R,Y=P;if(O.ori==1&&(ue=R,ae=P,le=A,Y=D),Ke&&hn(N,Kt(ue,N),Kt(ue+ae,N)),je)for(let V in k){let Ee=k[V];V!=N&&Ee.from==null&&Ee.
min!=xe&&hn(V,Kt(le+Y,V),Kt(le,V))}Gl()}else z.lock&&(z._lock=!z._lock,An(c,!0,r!=null));r!=null&&(zn(ao,po),Ss(ao,s,Se,Ce,te,I,null))}function Qc(r,c,h,d,b,_,S){
if(z._lock)return;Mn(r);let A=fn;if(fn){let R=!0,D=!0,P=10,W,J;O.ori==0?(W=Ke,J=je):(W=je,J=Ke),W&&J&&(R=Se<=P||Se>=te-P,D=Ce<=P||Ce>=I-P),W&&R&&(Se=Se<Xn?0:te),
J&&D&&(Ce=Ce<es?0:I),An(null,!0,!0),fn=!1}Se=-10,Ce=-10,ge.fill(null),An(null,!0,!0),A&&(fn=A)}function Mi(r,c,h,d,b,_,S){z._lock||(Mn(r),Al(),Gl(),r!=null&&Ss(
wr,s,Se,Ce,te,I,null))}function $i(){T.forEach(yh),Tl(s.width,s.height,!0)}Dn(rl,is,$i);let ss={};ss.mousedown=ki,ss.mousemove=xi,ss.mouseup=Ei,ss.dblclick=Mi,ss.
setSeries=(r,c,h,d)=>{let b=Fe.match[2];h=b(s,c,h),h!=-1&&Gt(h,d,!0,!1)},ot&&(it(pr,v,ki),it(ro,v,xi),it(mr,v,r=>{Mn(r),vs(!1)}),it(gr,v,Qc),it(wr,v,Mi),vo.add(
s),s.syncRect=vs);let js=s.hooks=e.hooks||{};function Je(r,c,h){Bl?xs.push([r,c,h]):r in js&&js[r].forEach(d=>{d.call(null,s,c,h)})}(e.plugins||[]).forEach(r=>{
for(let c in r.hooks)js[c]=(js[c]||[]).concat(r.hooks[c])});let Ti=(r,c,h)=>h,Fe=ze({key:null,setSeries:!1,filters:{pub:Tr,sub:Tr},scales:[N,g[1]?g[1].scale:null],
match:[Ar,Ar,Ti],values:[null,null]},z.sync);Fe.match.length==2&&Fe.match.push(Ti),z.sync=Fe;let Ai=Fe.key,Kl=Ea(Ai);function Ss(r,c,h,d,b,_,S){Fe.filters.pub(r,
c,h,d,b,_,S)&&Kl.pub(r,c,h,d,b,_,S)}Kl.sub(s);function Xc(r,c,h,d,b,_,S){Fe.filters.sub(r,c,h,d,b,_,S)&&ss[r](null,c,h,d,b,_,S)}s.pub=Xc;function eu(){Kl.unsub(
s),vo.delete(s),yn.clear(),wo(rl,is,$i),f.remove(),de?.remove(),Je("destroy")}s.destroy=eu;function jl(){Je("init",e,t),oi(t||e.data,!1),q[N]?zl(N,q[N]):Al(),Vs=
ke.show&&(ke.width>0||ke.height>0),En=At=!0,Tl(e.width,e.height)}return g.forEach(si),T.forEach(Lc),n?n instanceof HTMLElement?(n.appendChild(f),jl()):n(s,jl):jl(),
s}nt.assign=ze;nt.fmtNum=Ao;nt.rangeNum=al;nt.rangeLog=fl;nt.rangeAsinh=$o;nt.orient=In;nt.pxRatio=he;nt.join=hf;nt.fmtDate=Ro,nt.tzDate=Sf;nt.sync=Ea;{nt.addGap=
oh,nt.clipGaps=pl;let e=nt.paths={points:Ra};e.linear=Oa,e.stepped=ah,e.bars=ch,e.spline=fh}var Pe=22,Et=24,xn=null;function Wo(){xn=null}function ve(e){return xn||(xn=new Map,xn.style=getComputedStyle(document.documentElement)),xn.has(e)||xn.set(e,xn.
style.getPropertyValue(`--${e}`).trim()||"#888"),xn.get(e)}function vh(e,t){let n=e/Math.max(2,t/110),s=10**Math.floor(Math.log10(n));for(let l of[1,2,5,10])if(l*
s>=n)return l*s;return 10*s}function Sh(e,t){let[n,s]=[["s",1e9],["ms",1e6],["\xB5s",1e3],["ns",1]].find(([,l])=>Math.abs(e)>=l)??["ns",1];return e===0||e>=12e10?
M(e):`${(e/s).toFixed(Math.max(0,Math.ceil(Math.log10(s/t)-1e-9)))} ${n}`}function Ia(e,{from:t,to:n,left:s,width:l,height:o}){let a=vh(n-t,l);e.fillStyle=ve("q\
uiet"),e.strokeStyle=ve("line"),e.font="11px system-ui, sans-serif",e.textBaseline="middle",e.beginPath();for(let i=Math.ceil(t/a)*a;i<=n;i+=a){let u=Math.round(
s+(i-t)/(n-t)*l)+.5;e.moveTo(u,Et-5),e.lineTo(u,o),u<s+l-40&&e.fillText(Sh(Math.round(i),a),u+3,Et/2)}e.stroke()}function kh(e,t,{from:n,to:s,left:l,width:o},a){
let i=o/(s-n);for(let u=0;u<t.bins.length;u+=4){let f=t.from+t.bins[u]*t.binNs;if(f>s)break;if(f+t.binNs<n)continue;let m=Math.round(l+Math.max(0,f-n)*i),w=Math.
max(1,Math.round(l+Math.min(s-n,f+t.binNs-n)*i)-m),x=Math.max(3,t.bins[u+2]/1e3*(Pe-6));e.fillStyle=ve(t.ops[t.bins[u+3]].kind),e.fillRect(m,a+Pe-3-x,w,x)}}function Eh(e,t,{
from:n,to:s,left:l,width:o,chosen:a},i){let u=o/(s-n),f=[-1,-1];e.font="11px system-ui, sans-serif",e.textBaseline="middle";for(let m of t.slices){if(m.start>s)
break;let w=m.duration===null?s:m.start+m.duration;if(w<n)continue;let x=l+Math.max(0,(m.start-n)*u),y=l+Math.min(o,(w-n)*u),v=m.depth>0?1:0,E=a===m.seq;if(y-x<
1&&x<f[v]&&!E)continue;let $=Math.max(1,y-x);f[v]=x+$;let C=v?i+3+Math.min(3,m.depth)*4:i+3,g=v?Math.max(3,Pe-6-Math.min(3,m.depth)*4):Pe-6;if(e.globalAlpha=m.duration===
null?.5:1,e.fillStyle=ve(m.op.kind),e.fillRect(x,C,$,g),e.globalAlpha=1,v&&(e.fillStyle=ve("card"),e.fillRect(x,C-1,$,1)),m.failed&&(e.fillStyle=ve("critical"),
e.fillRect(x,i+1,Math.max(2,$),2)),E&&(e.strokeStyle=ve("ink"),e.lineWidth=2,e.strokeRect(x,i+2,$,Pe-4),e.lineWidth=1),$>34&&!v){e.fillStyle=ve("card");let T=Math.
floor(($-6)/6),k=m.op.op;e.fillText(k.length<=T?k:`${k.slice(0,Math.max(1,T-1))}\u2026`,x+3,i+Pe/2)}}}function Wa(e,t,n,s){for(let{line:l,y:o}of t){if(l.lane&&l.
lane.lane===s.lane&&(e.fillStyle=ve("chosen"),e.fillRect(0,o,s.left+s.width,Pe)),l.chains){let i=s.width/(s.to-s.from);for(let u of l.chains){let f=Math.max(s.left,
s.left+(u.from-s.from)*i),m=Math.min(s.left+s.width,s.left+(u.to-s.from)*i);m<s.left||f>s.left+s.width||(e.fillStyle=ve("chain"),e.globalAlpha=u.id===s.chain?.9:
.5,e.fillRect(f,o+4,Math.max(3,m-f),Pe-8),e.globalAlpha=1)}continue}let a=l.lane?n.get(l.lane.lane):null;a&&(kh(e,a,s,o),Eh(e,a,s,o))}}var Fa=["launch","memcpy","collective","alloc","sync","fabric","graph","p2p","memset","event","module","stream"],bl=e=>ve(Fa[e%Fa.length]),Ba=(e,t,n)=>({space:n,
stroke:()=>ve("quiet"),grid:{stroke:()=>ve("line"),width:1},ticks:{stroke:()=>ve("line")},values:e,size:t});function Mh(e,t,n,s){let l=null,o=new ResizeObserver(
()=>{let a=e.clientWidth;a&&(l||(l=new nt({...t,width:a,height:s},n,e),l.root.querySelector("canvas").setAttribute("aria-hidden","true")),l.width!==a&&l.setSize(
{width:a,height:s}),e.plot=l)});return o.observe(e),e.close=()=>{o.disconnect(),l?.destroy()},e}function _n({label:e,times:t,series:n,text:s,timeText:l,height:o=220,
stacked:a=!1,choose:i=null}){let u=p("div",{class:"chart",role:"img","aria-label":`${e}: ${n.map(w=>w.name).join(", ")}`}),f=n.map(w=>w.values);if(a){let w=new Array(
t.length).fill(0);f=f.map(x=>x.map((y,v)=>w[v]+=y??0))}let m=n.map((w,x)=>({label:w.name,stroke:()=>bl(x),width:1.5,points:{show:t.length<3},spanGaps:!0,fill:a?
()=>bl(x):void 0,value:(y,v,E,$)=>$===null?"\u2013":s(n[x].values[$])}));return a&&(m.reverse(),f.reverse()),Mh(u,{cursor:{drag:{x:!0,y:!1,setScale:!i}},scales:{
x:{time:!1},y:{range:(w,x,y)=>[Math.min(0,x??0),(y||1)*1.05]}},axes:[Ba((w,x)=>x.map(y=>l(y)),30,90),Ba((w,x)=>x.map(y=>s(y)),74,35)],series:[{label:"Time",value:(w,x)=>x===
null?"\u2013":l(x)},...m],legend:{live:!0},hooks:i?{setSelect:[w=>{w.select.width>3&&i(w.posToVal(w.select.left,"x"),w.posToVal(w.select.left+w.select.width,"x"))}]}:
{}},[t,...f],o)}var Fo=e=>`${e.pid}|${e.stream??""}|${e.phase}`,za=e=>e.slow_1_5x+e.slow_2x+e.slow_3x,$h=(e,t)=>t.steps?Zt(e/t.steps):"\u2013",Ha=e=>[e.engine,e.model].filter(Boolean).
join(" "),Th={s:e=>M(e*1e9),bytes:Le},Ah=e=>e.interval_mean!==null||e.interval_p95!==null||e.unit==="s"&&!e.name.endsWith(".total"),Bo=(e,t)=>e==null?"\u2013":Th[t]?.(
e)??Zt(e),Ch=[{head:"Workload",text:e=>`${e.process??"?"} ${e.pid}, ${e.phase}`,sort:e=>e.pid},{head:"Serves",text:Ha},{head:"Steps",number:!0,text:e=>L(e.steps),
sort:e=>e.steps},{head:"Slow",number:!0,text:e=>L(za(e)),sort:za,title:"1.5 times the 95th percentile and more"},{head:"3x",number:!0,text:e=>L(e.slow_3x),sort:e=>e.
slow_3x},{head:"Usual",number:!0,text:e=>M(e.mean_ns),sort:e=>e.mean_ns,title:"Mean of healthy steps"},{head:"p95",number:!0,text:e=>M(e.p95_ns),sort:e=>e.p95_ns,
title:"Of healthy steps"},{head:"Longest",number:!0,text:e=>M(e.max_ns),sort:e=>e.max_ns},{head:"Launches a step",number:!0,text:e=>$h(e.launches+e.graph_launches,
e),title:"Launches of graphs count as one each"},{head:"Copied a step",number:!0,text:e=>e.steps?Le(Math.round(e.copied_bytes/e.steps)):"\u2013"},{head:"Idle",number:!0,
text:e=>M(e.idle_ns),sort:e=>e.idle_ns,title:"Pauses that are part of no step"},{head:"Began over",number:!0,text:e=>e.relearned?L(e.relearned):"",title:"Times \
that what is usual changed for good"}];function Va(e){let[t,n]=[BigInt(e.start_wall_ns),BigInt(e.duration_ns)];return{view:"timeline",from:Ot(t-n/2n),to:Ot(t+3n*
n/2n)}}var Rh=e=>[{head:"At",number:!0,node:t=>p("a",{href:lt(Va(t))},M(Number(BigInt(t.start_wall_ns)-e.origin))),sort:t=>Number(t.start_wall_ns)},{head:"Threa\
d",text:t=>`${t.pid}/${t.tid}`},{head:"Phase",text:t=>t.phase},{head:"Class",text:t=>t.slow,sort:t=>parseFloat(t.slow)},{head:"Took",number:!0,text:t=>M(t.duration_ns),
sort:t=>t.duration_ns},{head:"p95 then",number:!0,text:t=>M(t.baseline_p95_ns)},{head:"Waited",number:!0,text:t=>M(t.wait_ns),sort:t=>t.wait_ns},{head:"Launches",
number:!0,text:t=>L(t.launches+t.graph_launches)},{head:"Cause",node:t=>t.incident?p("a",{href:lt({...Va(t),chosen:{chain:t.incident}})},t.incident):"none found"}];
async function Lh(e,t){let n=t.stream===null?"NULL":t.stream,s=Xt("timestamp",o=>String(Me(o))),l=await Qe(`SELECT timestamp - ${e.origin} AS at, duration_ns, b\
aseline_p95_ns FROM inference_steps
    WHERE pid = ${t.pid} AND stream IS ${n} AND phase = '${t.phase.replaceAll("'","''")}' AND ${s} ORDER BY timestamp`,1e4,e.signal);return l.length?_n({label:"\
Steps over time",times:l.map(o=>o.at),text:M,timeText:M,series:[{name:"Step",values:l.map(o=>o.duration_ns)},{name:"Usual, p95",values:l.map(o=>o.baseline_p95_ns)}]}):
null}async function Oh(e,t){let n=await pe("get_inference",Be(),t.signal);if(!n.workloads.length&&!n.engines.length)return e.append(U("Inference",fe("No step of\
 inference is known: the recording was made without --inference, or no program served a model."),be(n))),()=>{};let s=n.workloads.find(o=>Fo(o)===F.chosen.workload),
l=null;return s&&(l=await Lh(t,s),e.append(U(`${s.process??"?"} ${s.pid}, ${s.phase}`,l??fe("It made no step in this part.")))),e.append(U("Workloads, in the wh\
ole recording",n.workloads.length?X({caption:"Workloads; choose one to see its steps over time",rows:n.workloads,columns:Ch,key:Fo,chosen:F.chosen.workload??null,
choose:o=>Ie({workload:Fo(o)},!1)}):fe("No step ended.")),U("Slow steps",n.slow_steps.length?X({caption:"Slow steps, the worst first",rows:n.slow_steps,columns:Rh(
t)}):fe("No step of this part was slow.")),U("What engines said last",n.engines.length?X({caption:"Metrics of engines",rows:n.engines,columns:[{head:"Metric",text:o=>o.
name,sort:o=>o.name},{head:"Engine",text:o=>`${Ha(o)} (${o.pid})`},{head:"Value",number:!0,text:o=>Ah(o)?`${L(o.value)} times`:Bo(o.value,o.unit),title:"Of a hi\
stogram: how often it observed"},{head:"Mean",number:!0,text:o=>Bo(o.interval_mean,o.unit),title:"Since the reading before"},{head:"p95",number:!0,text:o=>Bo(o.
interval_p95,o.unit),title:"Since the reading before"},{head:"Unit",text:o=>o.unit}]}):fe("No engine was found, or none showed its metrics."))),n.cut.length&&e.
append(be(n)),()=>l?.close()}var qa={name:"inference",title:"Inference",draw:Oh};var Ua=8,Ya=e=>`${e.frames?.find(t=>t.startsWith("[Python]"))??e.frames?.[1]??e.frames?.[0]??e.op} (${e.pid})`;async function Nh(e,t){let n=await pe("get_memory",
{...Be(),limit:100,bins:300},t.signal),{totals:s,sites:l,over_time:o}=n;if(!l.length)return e.append(U("Memory",fe("No call of this part obtained memory."),be(n))),
()=>{};e.append(U("Memory",gt([["Held at the end",Le(s.held_bytes)],["Held at most",Le(s.peak_bytes)],["Allocations held",L(s.held_allocations)],["Freed, but ob\
tained before",L(s.frees_of_unseen)],["Of unknown address",s.address_unknown?L(s.address_unknown):null]]),be(n)));let a=null;if(o){let i=Number(Me(o.from)-t.origin),
u=o.total_bytes.map((x,y)=>i+y*o.bin_ns),f=o.site_bytes.slice(0,Ua),m=f.map((x,y)=>({name:Ya(l[y]),values:x})),w=o.total_bytes.map((x,y)=>Math.max(0,x-f.reduce(
(v,E)=>v+E[y],0)));w.some(x=>x>0)&&m.push({name:"others",values:w}),a=_n({label:"Bytes held by call site",times:u,series:m,stacked:!0,text:Le,timeText:M,height:280}),
e.append(U("Held over time, by call site",a,p("p",{class:"quiet"},"The most held in each part; what the program held before the recording is not seen.")))}e.append(
U("Call sites",X({caption:"Call sites",rows:l.map((i,u)=>({...i,i:u})),columns:[{head:"Where",node:i=>p("span",{},p("i",{class:"dot","data-ink":i.i<Ua?i.i:""}),
Ya(i))},{head:"Call",text:i=>i.op,sort:i=>i.op},{head:"Held",number:!0,text:i=>Le(i.held_bytes),sort:i=>i.held_bytes},{head:"At most",number:!0,text:i=>Le(i.peak_bytes),
sort:i=>i.peak_bytes},{head:"Obtained",number:!0,text:i=>Le(i.bytes),sort:i=>i.bytes},{head:"Given back",number:!0,text:i=>Le(i.freed_bytes),sort:i=>i.freed_bytes},
{head:"Calls",number:!0,text:i=>L(i.calls),sort:i=>i.calls},{head:"Failed",number:!0,text:i=>i.failed?L(i.failed):"",sort:i=>i.failed}]})));for(let i of e.querySelectorAll(
"[data-ink]"))i.dataset.ink!==""&&(i.style.background=bl(Number(i.dataset.ink)));return()=>a?.close()}var Ga={name:"memory",title:"Memory",draw:Nh};var Ka=4;function Dh(e,t,n){let[s,l]=[120,18],o=p("canvas",{width:s*2,height:l*2,class:"spark",role:"img","aria-label":e?`most often about ${M(e.from_ns[e.counts.
indexOf(Math.max(...e.counts))])}`:"not known"});if(!e)return o;let a=o.getContext("2d");a.scale(2,2),a.fillStyle=ve(e.kind);let i=Math.max(...e.counts),u=f=>(Math.
log2(Math.max(f,1))-t)/(n-t)*(s-3);return e.from_ns.forEach((f,m)=>{let w=Math.max(1.5,Math.log1p(e.counts[m])/Math.log1p(i)*l);a.fillRect(u(f),l-w,Math.max(2,s/
((n-t)*Ka)-.5),w)}),o}function Ph(e,t,n){let s=g=>{let T=2**Math.floor(Math.log2(Math.max(g,1)));return g+Math.max(1,T/16)},[l,o]=[Math.log2(Math.max(e.from_ns[0],
1)),Math.log2(s(e.from_ns.at(-1)))],a=Math.max(...e.counts),i=160,u=p("canvas",{class:"distribution",role:"img","aria-label":`Distribution of ${e.op}`}),f=0,m=null,
w=null,x=g=>(Math.log2(Math.max(g,1))-l)/Math.max(o-l,.01)*f,y=g=>2**(l+g/f*(o-l));function v(){let g=devicePixelRatio||1;f=u.clientWidth,u.width=f*g,u.height=i*
g;let T=u.getContext("2d");T.scale(g,g);let k=w??(t?[x(t[0]),x(t[1])]:null);k&&(T.fillStyle=ve("chosen"),T.fillRect(Math.min(...k),0,Math.abs(k[1]-k[0]),i-18)),
T.fillStyle=ve(e.kind),e.from_ns.forEach((N,Z)=>{let G=Math.max(2,Math.log1p(e.counts[Z])/Math.log1p(a)*(i-24));T.fillRect(x(N),i-18-G,Math.max(1,x(s(N))-x(N)-.5),
G)}),T.fillStyle=ve("quiet"),T.font="11px system-ui, sans-serif";let K=o-l>5?[1]:o-l>2?[1,2,5]:[1,1.5,2,3,4,5,6,7,8,9];for(let N=0,Z=-60;N<12;N++)for(let G of K){
let ee=x(G*10**N);ee<Math.max(0,Z+60)||ee>f-40||(T.fillText(M(G*10**N),ee,i-4),Z=ee)}}u.addEventListener("pointerdown",g=>{m=g.offsetX,u.setPointerCapture(g.pointerId)}),
u.addEventListener("pointermove",g=>{m!==null&&(w=[m,g.offsetX],v())}),u.addEventListener("pointerup",g=>{let[T,k]=[m,g.offsetX].sort((K,N)=>K-N);m=w=null,n(k-T>
3?[Math.floor(y(Math.max(0,T))),Math.ceil(y(Math.min(f,k)))]:null)});let E=new ResizeObserver(v);E.observe(u);let $=(g,T,k)=>[p("label",{for:g},T),p("input",{id:g,
type:"number",min:"0",step:"any",value:k??""})],C=p("form",{class:"bar"},$("least","From \xB5s",t?t[0]/1e3:null),$("most","to \xB5s",t?t[1]/1e3:null),p("button",
{type:"submit"},"List these calls"),t?p("button",{type:"button",onclick:()=>n(null)},"All"):null);return C.addEventListener("submit",g=>{g.preventDefault();let[
T,k]=[C.querySelector("#least").value,C.querySelector("#most").value];n(T===""&&k===""?null:[Math.floor(Number(T||0)*1e3),Math.ceil(Number(k||1e12)*1e3)])}),{node:p(
"div",{},u,p("p",{class:"quiet"},"Calls by duration, both on logarithmic scales. Drag over a part to list its calls."),C),close:()=>E.disconnect()}}async function Ih(e,t,n){
let s=e.origin,l=Xt("timestamp",a=>String(Me(a))),o=await Qe(`SELECT seq, timestamp - ${s} AS start_ns, duration, pid, tid, comm, failed, bytes, kernel FROM eve\
nts
    WHERE call = '${t.call.replaceAll("'","''")}' AND ${l} ${n?`AND duration BETWEEN ${n[0]} AND ${n[1]}`:""}
    ORDER BY duration DESC`,50,e.signal);return o.length?X({caption:`Calls of ${t.op}, longest first`,rows:o,most:50,columns:[{head:"Took",number:!0,text:a=>M(a.
duration),sort:a=>a.duration},{head:"At",number:!0,node:a=>p("a",{href:lt({view:"timeline",from:Ot(s+BigInt(a.start_ns-Math.max(1e3,a.duration??0))),to:Ot(s+BigInt(
a.start_ns+2*Math.max(1e3,a.duration??0))),chosen:{call:a.seq}})},M(a.start_ns)),sort:a=>a.start_ns},{head:"Thread",text:a=>`${a.comm??""} ${a.pid}/${a.tid}`},{
head:"Bytes",number:!0,text:a=>Le(a.bytes),sort:a=>a.bytes},{head:"Failed",text:a=>a.failed?"yes":""},{head:"Kernel",text:a=>a.kernel??""}]}):fe("No call of thi\
s part took so long.")}var Wh=e=>U("Kernels",X({caption:"Kernels",rows:e,sorted:2,columns:[{head:"Kernel",text:t=>t.kernel??"without a name",sort:t=>t.kernel??""},
{head:"Launches",number:!0,text:t=>L(t.launches),sort:t=>t.launches},{head:"Waited behind it",number:!0,text:t=>M(t.wait_ns),sort:t=>t.wait_ns,title:"Its share \
of the waits of the threads that launched it: a wait is shared equally among the launches since the one before"},{head:"Copied",number:!0,text:t=>Le(t.copied_bytes),
sort:t=>t.copied_bytes,title:"Its share of the bytes copied meanwhile"},{head:"In launching",number:!0,text:t=>M(t.launch_ns),sort:t=>t.launch_ns},{head:"Failed",
number:!0,text:t=>t.failed?L(t.failed):"",sort:t=>t.failed}]}));async function Fh(e,t){let[n,s]=await Promise.all([pe("get_trace_stats",Be(),t.signal),pe("get_d\
istributions",{...Be(),per_octave:Ka},t.signal)]),l=new Map(s.calls.map(g=>[g.call,g])),o=Math.min(10,...s.calls.map(g=>Math.log2(Math.max(g.from_ns[0],1)))),a=Math.
max(11,...s.calls.map(g=>Math.log2(g.from_ns.at(-1))+.5)),i=n.calls.reduce((g,T)=>g+(T.total_ns??0),0),u=[{head:"Call",text:g=>g.op+("single_step_ns"in g?" *":""),
sort:g=>g.op},{head:"Count",number:!0,text:g=>L(g.count),sort:g=>g.count},{head:"Total",number:!0,text:g=>M(g.total_ns),sort:g=>g.total_ns},{head:"Share",number:!0,
text:g=>g.kind==="host"?"":ln(g.total_ns/i),title:"Of all calls' time; a call made inside another is in both"},{head:"p50",number:!0,text:g=>M(g.p50_ns),sort:g=>g.
p50_ns},{head:"p95",number:!0,text:g=>M(g.p95_ns),sort:g=>g.p95_ns},{head:"p99",number:!0,text:g=>M(g.p99_ns),sort:g=>g.p99_ns},{head:"Longest",number:!0,text:g=>M(
g.max_ns),sort:g=>g.max_ns},{head:"Errors",number:!0,text:g=>g.errors?L(g.errors):"",sort:g=>g.errors},{head:"Bytes",number:!0,text:g=>g.bytes===null?"":Le(g.bytes),
sort:g=>g.bytes},{head:"Off CPU",number:!0,text:g=>g.off_cpu?ln(Object.values(g.off_cpu).reduce((T,k)=>T+k,0)/g.total_ns):"",title:"Part of the time that the ca\
lling threads were off the CPU"}],f=[{head:"Layer",text:g=>g.layer,sort:g=>g.layer},{head:"Distribution",node:g=>Dh(l.get(g.call),o,a)}];matchMedia("(max-width:\
 600px)").matches?u.push(...f):u.splice(1,0,...f);let m=u.findIndex(({head:g})=>g==="Total"),w=F.chosen.op??null,x=g=>Ie({op:g.call,least:null,most:null},!1);e.
append(U("Calls",n.calls.length?X({caption:"Calls",rows:n.calls,columns:u,sorted:m,choose:x,key:g=>g.call,chosen:w}):fe("No call was recorded in this part.")),...n.
host.length?[U("What the host did",X({caption:"Host events",rows:n.host,columns:u.filter(({head:g})=>g!=="Off CPU"&&g!=="Share"),choose:x,key:g=>g.call,chosen:w}))]:
[]),n.kernels?.length&&e.append(Wh(n.kernels)),n.calls.some(g=>"single_step_ns"in g)&&e.append(p("p",{class:"quiet"},"* Probed on an instruction that the kernel\
 single-steps: a part of each duration is that step. Choose the call to see how much."));for(let g of[n,s])g.cut.length&&e.append(be(g));if(!w)return()=>{};let y=await pe(
"get_distributions",{...Be(),op:w,per_octave:16},t.signal),v=y.calls.find(g=>g.call===w)??y.calls[0];if(!v)return e.prepend(U(w,fe("It was not called in this pa\
rt, or has no durations."))),()=>{};let E=F.chosen.least?[Number(F.chosen.least),Number(F.chosen.most)]:null,$=Ph(v,E,g=>Ie({least:g?.[0]??null,most:g?.[1]??null},
!1)),C=[...n.calls,...n.host].find(g=>g.call===v.call);return e.prepend(U(v.op,gt([["Count",L(v.count)],["p50",M(C?.p50_ns)],["p99",M(C?.p99_ns)],["Longest",M(C?.
max_ns)],["Library's name",v.call],["Of each the probe's single step",C&&"single_step_ns"in C?M(C.single_step_ns):null]]),$.node,await Ih(t,v,E))),$.close}var ja={
name:"operations",title:"Operations",draw:Fh};var xl={device_wait:"waiting for the device",communication:"waiting for a collective",submit:"submitting",copy:"copying",allocate:"allocating",other_call:"other\
 GPU calls",host:"host code",page_fault:"page faults",cpu_wait:"waiting for a CPU",throttled:"throttled (CPU quota)",stopped:"stopped",disk:"waiting for a disk",
reclaim:"memory reclaim",pipe:"waiting for a pipe",socket:"waiting for a socket",futex:"waiting for a lock",poll:"waiting in poll",child:"waiting for a child",sleep:"\
sleeping",driver:"waiting in a driver",other_wait:"waiting for something else",blocked:"blocked (not recorded on what)",unknown:"not known"},Ja=Object.keys(xl),
ps=e=>xl[e]??String(e).replaceAll("_"," "),_l=e=>e in xl?`t-${e}`:"t-unknown",Za=e=>e in xl?Ja.indexOf(e):Ja.length,ms=e=>[...e].sort((t,n)=>Za(t.name)-Za(n.name));var Ds=20,Bh=24,zh=.004,zo=(e,t)=>e[Math.min(e.length-1,Math.floor(t*e.length))];function Vh(e){let t=Math.max(...e.map(l=>l.duration_ns)),n=e.filter(l=>!l.is_slow),
s=(n.length?n:e).map(l=>l.duration_ns).sort((l,o)=>l-o);return Math.min(t,Math.max(3*zo(s,.5),1.2*zo(s,.9)))||1}function Hh(e){let t=e.slice(1).map((s,l)=>s.at-
e[l].at-e[l].duration_ns),n=zo([...t].sort((s,l)=>s-l),.5)??0;return new Set(t.flatMap((s,l)=>s>Math.max(1e9,5*n)?[l+1]:[]))}function qh(e,t,n,s,l){let o=Math.min(
e.low,e.ns),a=[[e.ns-o,"pale"],[o,""]],i=n,u=[];for(let[f,m]of a){let[w,x]=[Math.min(i,l.top),Math.min(i+f,l.top)];i+=f;let y=(x-w)*s;y>=zh*l.height&&u.push(De(
"rect",{class:`${_l(e.name)} ${m}`,x:t.x,y:(l.y-x*s).toFixed(1),width:t.width,height:y.toFixed(1)}))}return u}function Uh(e,{left:t,width:n,y:s,scale:l}){let o=Ji(
e/4),a=[];for(let i=o;i<=e;i+=o){let u=Math.round(s-i*l)+.5;a.push(De("line",{class:"grid",x1:t,x2:n,y1:u,y2:u}),De("text",{class:"axis",x:t-5,y:u+4,"text-ancho\
r":"end"},M(i)))}return De("g",{"aria-hidden":"true"},a)}function Yh(e,t,n){let s=[],l=[],o=e.map((a,i)=>({item:a,i})).filter(({item:a})=>a.duration_ns>n*1.001).
sort((a,i)=>i.item.duration_ns-a.item.duration_ns);for(let{item:a,i}of o){let u=M(a.duration_ns),f=t[i].x+t[i].width/2,m=3.4*u.length;s.some(w=>Math.abs(w.middle-
f)<m+w.half+4)||(s.push({middle:f,half:m}),l.push(De("text",{class:"axis",x:f,y:Ds-7,"text-anchor":"middle"},u)))}return l}function Qa(e,t){let n=t<500?220:260,
s=t<500?50:62,l=n-Bh,o=Vh(e),a=(l-Ds)/o,i=Hh(e),u=Math.min(48,(t-s-2)/(e.length+i.size)),f=[],m=[],w=s+2;e.forEach((y,v)=>{i.has(v)&&(w+=u);let E={x:w,width:u},
$={x:(w+Math.min(1,u*.1)).toFixed(2),width:Math.max(1,u-Math.min(2,u*.2)).toFixed(2)},C=[],g=0;for(let T of ms(y.classes))C.push(...qh(T,$,g,a,{y:l,top:o,height:l-
Ds})),g+=T.ns;y.duration_ns>o*1.001&&C.push(De("line",{class:"cut-mark",x1:w,x2:w+u,y1:Ds+9,y2:Ds+5})),y.is_slow&&C.push(De("rect",{class:"slow",x:$.x,y:l+2,width:$.
width,height:4})),f.push(E),m.push(C),w+=u});let x=[De("line",{class:"base","aria-hidden":"true",x1:s,x2:t,y1:l+.5,y2:l+.5}),el(f.map((y,v)=>({x:y.x,at:e[v].at})),
n-5,t),De("g",{"aria-hidden":"true"},Yh(e,f,o))];return{height:n,slots:f,shapes:m,behind:[Uh(o,{left:s,width:t,y:l,scale:a})],before:x}}function Xa(e,t,n){let s=new Map(e.map(l=>[l[n],l]));for(let l of t)s.get(l[n])?.classes.push({name:l.class,ns:l.ns,low:l.low,high:l.high});return e}var ec=({pid:e,
tid:t,node:n})=>`pid = ${Number(e)} AND tid = ${Number(t)} AND ${Xt("timestamp",s=>String(Me(s)))}`+(n?` AND session IN (SELECT id FROM sessions WHERE node = ${Qt(
n)})`:"");async function Vo(e,t){try{return await Qe(e,1e4,t)}catch(n){if(n instanceof mt&&n.message.includes("no such table"))return[];throw n}}async function tc(e,t,{
origin:n,signal:s}){let l=await Vo(`WITH s AS (SELECT id, timestamp, number, duration_ns, is_slow, usual_ns, slow_class, more_ns, idle_low, idle_high,
      ntile(${t}) OVER (ORDER BY timestamp) AS part, row_number() OVER (PARTITION BY is_slow ORDER BY coalesce(more_ns, 0) DESC) AS bad
      FROM steps WHERE ${ec(e)}),
    p AS (SELECT *, row_number() OVER (PARTITION BY part ORDER BY duration_ns) AS at_place, count(*) OVER (PARTITION BY part) AS others,
      count(*) OVER () AS recorded, sum(is_slow) OVER () AS slow FROM s)
    SELECT id, timestamp - ${n} AS at, number, duration_ns, is_slow, usual_ns, slow_class, more_ns, idle_low, idle_high, recorded, slow
    FROM p WHERE at_place = (others + 1) / 2 OR (is_slow AND bad <= ${Math.ceil(t/3)}) ORDER BY timestamp`,s);if(!l.length)return[];let o=await Qe(`SELECT step \
AS id, class, ns, low, high FROM step_classes WHERE step IN (${l.map(a=>Number(a.id)).join()})`,1e4,s);return Xa(l.map(a=>({...a,classes:[]})),o,"id")}async function nc(e,t,{
origin:n,signal:s}){let l=ec(e),o=await Vo(`WITH s AS (SELECT DISTINCT timestamp FROM budget WHERE ${l}), n AS (SELECT timestamp, ntile(${t}) OVER (ORDER BY tim\
estamp) AS part FROM s),
    p AS (SELECT part, min(timestamp) AS began, count(*) AS seconds FROM n GROUP BY part)
    SELECT n.part AS id, p.began - ${n} AS at, p.seconds AS seconds, class, CAST(sum(ns) / p.seconds AS INTEGER) AS ns, CAST(sum(low) / p.seconds AS INTEGER) AS\
 low, CAST(sum(high) / p.seconds AS INTEGER) AS high
    FROM budget JOIN n USING (timestamp) JOIN p ON p.part = n.part WHERE ${l} GROUP BY n.part, class ORDER BY n.part`,s),a=new Map(o.map(u=>[u.id,{id:u.id,at:u.
at,seconds:u.seconds,classes:[]}])),i=Xa([...a.values()],o,"id");for(let u of i)u.duration_ns=u.classes.reduce((f,m)=>f+m.ns,0);return i}var sc=(e,t,{origin:n,signal:s})=>Vo(
`SELECT path, sum(ns) AS ns FROM blame WHERE pid = ${Number(e.pid)} AND step = ${Number(t.number)}
  AND timestamp - ${n} = ${Number(t.at)} GROUP BY path ORDER BY ns DESC LIMIT 3`,s);var lc="Where the steps' time went",Gh=150,Kh=8,yl=e=>`${e.process.node??""}|${e.process.pid}`,vl=({process:e})=>`${e.name||"?"} (pid ${e.pid})`,Ho=e=>e.steps?"\
step":"second",jh=e=>Math.max(1,e.steps?e.steps.evaluated:e.interval.evaluated_ns/1e9);function oc(e,t){return t<=1.1*e?M(e):e?`${M(e)} to ${M(t)}`:`up to ${M(t)}`}
var Jh=e=>p("i",{class:`kind ${_l(e)}`,"aria-hidden":"true"}),ic=e=>e.high?oc(e.low,e.high):"",rc=e=>p("span",{},Jh(e.name),ps(e.name));function ac(e){let t=jh(
e),n=ms(e.classes).map(s=>({name:s.name,ns:s.ns/t,share:s.share,low:s.lost_ns.low/t,high:s.lost_ns.high/t}));return X({caption:`What a ${Ho(e)} is made of`,rows:n,
sorted:1,columns:[{head:"What the thread did",node:rc,sort:s=>ps(s.name)},{head:`A ${Ho(e)}`,number:!0,text:s=>M(s.ns),sort:s=>s.ns},{head:"Share",number:!0,text:s=>ln(
s.share),sort:s=>s.share},{head:"Lost",number:!0,text:ic,sort:s=>s.high,title:"Meanwhile the device had nothing to do, and waited for this thread: at least and \
at most"}]})}function Zh(e,t){return e.length<2?null:p("div",{},p("h3",{},"Programs"),X({caption:"Programs; choose one to see its steps",rows:e,key:yl,chosen:t,
choose:n=>Ie({program:yl(n),step:null},!1),columns:[{head:"Program",text:n=>`${vl(n)}${n.process.node?` on ${n.process.node}`:""}`},{head:"Verdict",text:n=>[n.verdict.
name,n.verdict.second].filter(Boolean).join(" and ")},{head:"Steps",number:!0,text:n=>L(n.steps?.count)},{head:"Usual step",number:!0,text:n=>M(n.steps?.usual_ns)},
{head:"Device idle",number:!0,text:n=>Qh(n),title:"Share of the time in which the device had nothing to do, at least and at most, as far as this program's calls\
 say"}]}))}function Qh(e){let[t,n]=[e.idle_ns.low,e.idle_ns.high].map(s=>ln(s/Math.max(1,e.interval.evaluated_ns)));return t===n?t:`${t} to ${n}`}var Xh=(e,t)=>t?
`Step ${L(e.number)}`:`${M(Math.max(0,e.at))}, ${L(e.seconds)} s`,ed=e=>e.is_slow?`slow: ${M(e.more_ns)} more ${ps(e.slow_class)} than usual`:"";function td(e,t,n){let s=new Map;for(let a of e)for(let i of a.classes)s.set(i.name,(s.get(i.name)??0)+i.ns);let l=ms([...s].sort((a,i)=>i[1]-a[1]).slice(0,6).map(
([a])=>({name:a}))),o=e.map((a,i)=>({...a,i,by:Object.fromEntries(a.classes.map(u=>[u.name,u.ns]))}));return X({caption:t?"Steps of the picture; choose one":"Pa\
rts of the picture; choose one",rows:o,choose:a=>n(a.i),most:300,columns:[{head:t?"Step":"From",text:a=>Xh(a,t),sort:a=>a.at},...t?[{head:"At",number:!0,text:a=>M(
a.at),sort:a=>a.at},{head:"Took",number:!0,text:a=>M(a.duration_ns),sort:a=>a.duration_ns},{head:"Slow",text:a=>a.is_slow?ps(a.slow_class):"",sort:a=>a.slow_class}]:
[],...l.map(({name:a})=>({head:ps(a),number:!0,text:i=>M(i.by[a]??0),sort:i=>i.by[a]??0}))]})}async function nd(e,t,n){let s=e.slow.find(o=>o.step===t.number&&Math.
abs(o.duration_ns-t.duration_ns)<1e6);return s?.blame?.length?s.blame.map(o=>o.sentence):(await sc(e.process,t,n)).map(o=>`${M(o.ns)}: ${o.path}`)}var qo=class{constructor(t,n,s,l){
Object.assign(this,{time:t,items:n,context:l,isStep:s}),this.detail=p("div",{id:"chosen-step","aria-live":"polite"});let o=n.filter(u=>u.is_slow).sort((u,f)=>f.
more_ns-u.more_ns),a=F.chosen.step??(t.verdict.of_slow_steps?o[0]?.id:null);this.picture=tl({id:"steps",items:n,chosen:a,draw:u=>Qa(n,u),onChoose:u=>this.take(u),
label:this.isStep?"Steps over time, by what the thread did. Arrow keys choose one.":"Seconds over time, by what the thread did. Arrow keys choose one."});let i=u=>this.
picture.choose(this.picture.chosen()<0?0:this.picture.chosen()+u);this.bar=p("div",{class:"bar"},p("button",{onclick:()=>i(-1),title:"The column before (\u2190)"},
"Earlier"),p("button",{onclick:()=>i(1),title:"The next column (\u2192)"},"Later"),o.length?p("button",{onclick:()=>this.nextSlow()},"Next slow step"):null,p("s\
pan",{class:"quiet"},this.summary()))}summary(){let{time:t,items:n}=this;if(!this.isStep)return`no steps were found: each column is ${n[0].seconds>1?`an average\
 second of ${L(n[0].seconds)}`:"a second"}`;let{recorded:s,slow:l}=n[0];return`${n.length<s?`${L(n.length)} of ${L(s)} recorded steps`:`${L(s)} recorded steps`}${t.
steps?`, of ${L(t.steps.count)}`:""}; ${l?`${L(l)} of them slow`:"none of them slow"}`}nextSlow(){let{items:t}=this,n=this.picture.chosen();for(let s=1;s<=t.length;s++){
let l=(n+s+t.length)%t.length;if(t[l].is_slow)return this.picture.choose(l)}}take(t){Ie({step:t.id},!0),this.describe(t)}async describe(t){this.item=t;let{isStep:n,
context:s}=this,l=t.classes.reduce((f,m)=>f+m.ns,0),o=n?`Step ${L(t.number)} took ${M(t.duration_ns)}`:`${L(t.seconds)} s from ${M(Math.max(0,t.at))} on: a seco\
nd of it`,a=p("div"),[i,u]=[t.at,t.at+(n?t.duration_ns:t.seconds*1e9)].map(f=>Ot(s.origin+BigInt(Math.round(f))));if(this.detail.replaceChildren(p("h3",{},o),t.
is_slow?p("p",{},`It was ${ed(t)} (${M(t.usual_ns)}).`):"",a,X({caption:"What it is made of",rows:ms(t.classes),sorted:1,columns:[{head:"What the thread did",node:rc},
{head:"Time",number:!0,text:f=>M(f.ns),sort:f=>f.ns},{head:"Share",number:!0,text:f=>ln(f.ns/l),sort:f=>f.ns},{head:"Lost",number:!0,text:ic,sort:f=>f.high}]}),
n?gt([["Device had nothing to do",t.idle_high?oc(t.idle_low,t.idle_high):"0"]]):"",p("p",{},p("a",{href:lt({view:"timeline",from:i,to:u})},"Show it on the timel\
ine"))),!!t.is_slow)try{let f=await nd(this.time,t,s);this.item===t&&f.length&&a.replaceChildren(p("ul",{"aria-label":"Its time was lost to"},f.map(m=>p("li",{},
m))))}catch(f){f.name!=="AbortError"&&s.say(f.message)}}element(){let{items:t,picture:n}=this,s=n.chosen();s>=0?this.describe(t[s]):this.detail.replaceChildren(
p("p",{class:"quiet"},`Choose a ${this.isStep?"step":"column"} in the picture: click it, or use the arrow keys. Its reason, where it is known, stands here.`));let l=o=>{
n.choose(o),n.focus()};return[this.bar,n,p("p",{class:"quiet note"},p("i",{class:"kind full","aria-hidden":"true"}),"full colour: lost, the device had nothing t\
o do meanwhile; ",p("i",{class:"kind pale","aria-hidden":"true"}),"pale: it had, or may have had",t.some(o=>o.is_slow)?[". ",p("i",{class:"kind slow","aria-hidd\
en":"true"}),"below a column: a slow step"]:"",this.isStep?". A column whose top is cut is taller, as its figure says.":"."),p("div",{class:"pair"},p("div",{},p(
"h3",{},`A ${Ho(this.time)} on average`),ac(this.time)),this.detail),p("details",{},p("summary",{},"The picture as a table"),td(t,this.isStep,l))]}};async function cc(e,t){
let n=e.processes;if(!n.length)return{card:U(lc,fe(e.known?"No program of this part makes GPU calls.":"Not known: only a part of the calls was recorded one by o\
ne."),be(e)),close:()=>{}};let s=n.find(f=>yl(f)===F.chosen.program)??n[0],l=Math.max(20,Math.min(Gh,Math.floor((Math.min(innerWidth,1600)-120)/Kh))),o=await tc(
s.process,l,t),a=o.length?o:await nc(s.process,l,t),i=a.length?new qo(s,a,o.length>0,t):null;return{card:U(lc,n.length>1?p("p",{},p("b",{},vl(s))):null,i?i.element():
[fe("The recording has no steps to draw; what they are made of on average was computed anew."),ac(s)],Zh(n,yl(s)),be(e)),close:()=>i?.picture.close()}}var fc=e=>p("span",{class:`severity ${String(e).toLowerCase()}`},e);function sd(e){return e?.length?p("details",{},p("summary",{},`Where it happened: ${e[0]}`),
p("ol",{class:"frames"},e.map(t=>p("li",{},t)))):null}var ld=/\d\s?(?:ns|[uµ]s|ms|s|min|h)\b/;function hc(e,t){let n=[e.lost_ns&&!ld.test(e.summary)&&`${M(e.lost_ns)}\
 lost`,e.rank!==null&&e.rank!==void 0&&`rank ${e.rank}`,e.op,e.onset&&`from ${Rn(e.onset)}`,e.node];return p("article",{class:"chain"},p(t?"h3":"h4",{},fc(e.severity),
" ",e.summary),e.explanation?p("p",{},e.explanation):null,p("p",{class:"quiet"},n.filter(Boolean).join(" \xB7 ")),e.recommendations?.length?p("ul",{class:"remed\
ies","aria-label":"Remedies"},e.recommendations.map(s=>p("li",{},s))):null,p("details",{},p("summary",{},"What was measured"),p("p",{},e.root_cause),e.timeline?.
length?p("ol",{},e.timeline.map(s=>p("li",{},p("b",{},s.layer),` ${s.detail}`))):null),sd(e.stack),e.onset&&e.end?p("p",{},p("a",{href:lt({view:"timeline",from:e.
onset,to:e.end,chosen:{chain:e.id}})},"Show it on the timeline")):null)}function uc(e,t){let n=e.filter(o=>t&&o.pid===t.process.pid&&(o.node??null)===(t.process.
node??null)),s=e.filter(o=>!n.includes(o)),l=(o,a)=>a.length?p("details",{},p("summary",{},o),a.map(i=>hc(i,!1))):null;return[l(`Its evidence: ${n.length} causa\
l chain${n.length===1?"":"s"}`,n),l(`Also found: ${s.length} causal chain${s.length===1?"":"s"}`,s)]}var od=.1;function id(e){let{verdict:t}=e,n=e.blame.filter(
l=>l.high_ns>=od*e.blame[0].high_ns).slice(0,2),s=[...t.degree?n.map(l=>l.sentence):[],...t.because];return p("article",{class:"chain",id:"verdict"},p("h3",{},t.
sentence),p("p",{class:"quiet"},[vl(e),e.process.node&&`on ${e.process.node}`].filter(Boolean).join(" ")),s.length?p("ul",{"aria-label":"Reasons"},s.map(l=>p("l\
i",{},l))):null,t.degree&&e.remedy?p("p",{},p("b",{},"What to do: "),e.remedy):null)}function rd(e,t){let[n]=t.chains,[s]=e.processes;return String(n?.severity).
toUpperCase()==="CRITICAL"||!s?null:s.verdict.degree||!n||String(n.severity).toUpperCase()==="LOW"?s:null}function ad(e,t,n){let s=rd(e,t),[l,...o]=t.chains,a=t.
earlier_chains??[],i=!l&&!e.processes.some(f=>f.verdict.degree),u=s?id(s):l?hc(l,!0):null;return U("The cause",u,i?fe(n.live?"No cause has been found so far.":"\
Nothing is wrong that the rules know of."):null,s?uc(t.chains,s):uc(o,null),a.length?p("details",{},p("summary",{},`${a.length} chains that the legacy agent sto\
red`),p("ul",{},a.map(f=>p("li",{},fc(f.severity),` ${f.summary}: ${f.verdict}`)))):null,be(t))}var cd=e=>e.calls.length?U("Calls that have not returned",X({caption:"\
Calls in flight, longest first",rows:e.calls,columns:[{head:"Call",text:t=>t.call},{head:"Thread",text:t=>`${t.process??""} ${t.pid}/${t.tid}`},{head:"For",text:t=>M(
t.duration_ns),number:!0}]})):"";function ud(e){let t=e.calls.slice(0,8);return U("Where the calls' time went",t.length?X({caption:"Calls by total time",rows:t,
columns:[{head:"Call",node:n=>p("a",{href:lt({view:"operations",chosen:{op:n.call}})},n.op)},{head:"Count",text:n=>L(n.count),number:!0},{head:"Total",text:n=>M(
n.total_ns),number:!0},{head:"p50",text:n=>M(n.p50_ns),number:!0},{head:"p99",text:n=>M(n.p99_ns),number:!0},{head:"Longest",text:n=>M(n.max_ns),number:!0}]}):fe(
"No call was recorded in this part."))}var fd=e=>U("Processes",X({caption:"Processes",rows:e.processes,most:20,columns:[{head:"Process",text:t=>`${t.process??"?"}\
 ${t.pid}`},{head:"Calls",text:t=>L(t.calls),number:!0},{head:"Errors",text:t=>L(t.errors),number:!0},{head:"Host events",text:t=>L(t.host_events),number:!0},{head:"\
Longest call",text:t=>M(t.calls?t.max_ns:null),number:!0}]})),hd=(e,t)=>U("The recording",gt([["File",t.file],["Schema",t.schema],["Events in this part",L(e.events)],
["First",e.first],["Last",e.last],["Rows pruned",e.rows_pruned?L(e.rows_pruned):null],["Lost",e.lost===null?e.recording.not_ended?"not known: the recording has \
no proper end, see Capture":"not known: the legacy agent did not count it":e.lost.some(n=>n.severity!=="info")?p("a",{href:lt({view:"health"})},"something was: \
see Capture"):"nothing"]]),be(e)),dd=e=>e.catch(t=>{if(!(t instanceof mt)||t.status<500)throw t;return{known:!1,processes:[],cut:[t.message]}});async function pd(e,t){
let{info:n,signal:s,show:l}=t,[o,a,i,...u]=["The cause","Where the steps' time went",null,"Where the calls' time went","Processes","The recording"].map(y=>e.appendChild(
y?U(y,lo()):p("div",{hidden:!0})));l();async function f(y,v,E){try{(await E(await v)).forEach((C,g)=>y[g].replaceWith(C))}catch($){if(!($ instanceof mt)||$.status<
500)throw $;for(let C of y.filter(g=>!g.hidden))C.querySelector(".waiting").replaceWith(p("p",{role:"alert"},$.message))}}let m=()=>{},w=dd(pe("get_time_spent",
{...Be(),limit:20},s)),x=pe("get_causal_chains",{...Be(),top_n:20},s);return await Promise.all([f([o],x,async y=>[ad(await w,y,n)]),f([a],w,async y=>{let v=await cc(
y,t);return m=v.close,[v.card]}),f([i],pe("get_calls_in_flight",{...Be(),limit:5},s),y=>[cd(y)]),f(u,pe("get_trace_stats",Be(),s),y=>[ud(y),fd(y),hd(y,n)])]),()=>m()}
var dc={name:"overview",title:"Overview",draw:pd};var Go=()=>Xt("timestamp",e=>String(Me(e))),Uo=e=>e==="bytes"?Le:t=>t==null?"\u2013":Zt(t),md=["","down","initialising","armed","active","deferred"];async function pc(e,t){
let n=await Qe(t,1e4,e.signal);return{times:n.map(s=>s.at),values:n.map(s=>s.value)}}async function gd(e,t){let n=await pe("get_fabric",Be(),t.signal),s=mc(t);if(!n.
known||!n.links.length&&!n.counters.length)e.append(U("Fabric",fe("No adapter was sampled: there was none, or an earlier agent recorded this."),be(n)));else{e.append(
U("Links",X({caption:"Links",rows:n.links,columns:[{head:"Adapter",text:i=>`${i.device}, port ${i.port}`},{head:"Layer",text:i=>i.link_layer??""},{head:"State",
text:i=>md[i.state]??String(i.state??"\u2013")},{head:"Changes",number:!0,text:i=>L(i.changes)}]})));let l=i=>`${i.device}|${i.port??""}|${i.origin}|${i.name}`,
o=n.counters.find(i=>l(i)===F.chosen.counter),a=null;if(o){let i=await pc(t,`SELECT timestamp - ${t.origin} AS at, value FROM fabric_samples WHERE device = ${Qt(
o.device)} AND name = ${Qt(o.name)}
        AND origin = ${Qt(o.origin)} AND port IS ${o.port??"NULL"} AND ${Go()} ORDER BY timestamp`);a=_n({label:o.name,times:i.times,series:[{name:o.name,values:i.
values}],text:Uo(o.unit),timeText:M}),e.append(U(`${o.device}: ${o.name}`,a))}return e.append(U("Counters",X({caption:"Counters; choose one to see it over time",
rows:n.counters,sorted:3,key:l,chosen:F.chosen.counter??null,choose:i=>Ie({counter:l(i)},!1),columns:[{head:"Counter",text:i=>i.name,sort:i=>i.name},{head:"Adap\
ter",text:i=>i.device,sort:i=>i.device},{head:"Port",text:i=>i.port??""},{head:"Grew by",number:!0,text:i=>Uo(i.unit)(i.grew_by),sort:i=>i.grew_by},{head:"Value",
number:!0,text:i=>Uo(i.unit)(i.value),sort:i=>i.value},{head:"Resets",number:!0,text:i=>i.resets?L(i.resets):""}]}),be(n))),a&&e.prepend(a.parentNode),Yo(a,await s,
e)}return Yo(null,await s,e)}var Yo=(e,t,n)=>(t&&n.append(t.card),()=>{e?.close(),t?.chart.close()});async function mc(e){let t=await Qe(`SELECT timestamp - ${e.
origin} AS at, cpu_pct, mem_pct FROM system_snapshots WHERE ${Go()} ORDER BY timestamp`,1e4,e.signal);if(t.length<2)return null;let n=_n({label:"The host",times:t.
map(s=>s.at),text:s=>s==null?"\u2013":`${Math.round(s)} %`,timeText:M,height:160,series:[{name:"CPU",values:t.map(s=>s.cpu_pct)},{name:"Memory",values:t.map(s=>s.
mem_pct)}]});return{chart:n,card:U("The host",n)}}async function wd(e,t){let n=await pe("get_devices",Be(),t.signal),s=mc(t);e.append(U("Devices",n.devices.length?
X({caption:"Devices",rows:n.devices,columns:[{head:"Device",text:i=>i.name??"?"},{head:"Driver",text:i=>i.driver??"\u2013"},{head:"UUID",text:i=>i.uuid??"\u2013"},
{head:"PCI address",text:i=>i.pci_address??"\u2013"}]}):fe("No device was seen."),n.known?null:fe("The recording has no readings: an earlier agent made it."),be(
n)));let l=i=>`${i.uuid??i.pci_address}|${i.name}|${i.part}`,o=n.readings.find(i=>l(i)===F.chosen.reading),a=null;if(o){let i=await pc(t,`SELECT timestamp - ${t.
origin} AS at, value FROM device_samples WHERE uuid IS ${Qt(o.uuid)} AND pci_address IS ${Qt(o.pci_address)}
      AND name = ${Qt(o.name)} AND part = ${Qt(o.part)} AND ${Go()} ORDER BY timestamp`);a=_n({label:o.name,times:i.times,series:[{name:o.name,values:i.values}],
text:Zt,timeText:M}),e.append(U(o.name.replaceAll("_"," "),a))}return n.readings.length&&e.append(U("Readings",X({caption:"Readings; choose one to see it over t\
ime",rows:n.readings,key:l,chosen:F.chosen.reading??null,choose:i=>Ie({reading:l(i)},!1),columns:[{head:"Reading",text:i=>`${i.name.replaceAll("_"," ")}${i.part?
` (${i.part})`:""}`,sort:i=>i.name},{head:"Device",text:i=>i.uuid??i.pci_address??"?",sort:i=>i.uuid},{head:"Last",number:!0,text:i=>i.last===null?"\u2013":Zt(i.
last)},{head:"Least",number:!0,text:i=>Zt(i.min)},{head:"Average",number:!0,text:i=>Zt(i.avg)},{head:"Most",number:!0,text:i=>Zt(i.max)},{head:"Samples",number:!0,
text:i=>L(i.samples)}]}))),n.processes.length&&e.append(U("Memory by process",X({caption:"Memory by process",rows:n.processes,columns:[{head:"Process",text:i=>i.
pid},{head:"Device",text:i=>i.device},{head:"Memory",number:!0,text:i=>Le(i.memory_bytes)}]}))),n.errors.length&&e.append(U("Errors of drivers",X({caption:"Erro\
rs of drivers",rows:n.errors,columns:[{head:"Kind",text:i=>`${i.kind} ${i.code??""}`},{head:"Meaning",text:i=>i.meaning??""},{head:"Process",text:i=>i.process??
""},{head:"Message",text:i=>i.message}]}))),Yo(a,await s,e)}var gc={name:"fabric",title:"Fabric",draw:gd},wc={name:"devices",title:"Devices",draw:wd};var bc=.5,xc=4,Sl=class{constructor(t,n){this.context=t,this.onNews=n,this.lanes=[],this.views=new Map,this.cut=[],this.abort=null}text(t){return Ot(this.context.
origin+BigInt(Math.round(t)))}async want(t,n,s,l){let o=n-t,a={from:Math.max(-1e9,t-bc*o),to:n+bc*o},i=s.filter(m=>{let w=this.views.get(m);return!w||w.asked.from>
t||w.asked.to<n?!0:w.bins.length>0&&w.asked.to-w.asked.from>3*o});if(this.lanes.length&&i.length===0||this.abort)return;let u=new AbortController;this.abort=u;let f=await pe(
"get_timeline",{from:this.text(a.from),to:this.text(a.to),bins:Math.min(1e3,Math.max(50,Math.round(l))),...s.length?{lanes:s.slice(0,48)}:{}},u.signal).finally(
()=>{this.abort=null});this.take(f,a),this.onNews()}take(t,n){this.lanes=t.lanes,this.cut=t.cut.filter(l=>!l.includes("`"));let s=t.from?Number(Me(t.from)-this.
context.origin):0;for(let l of t.views){let o=new Set(l.failed);this.views.set(l.lane,{asked:n,from:s,binNs:l.bins.length?t.bin_ns:0,bins:l.bins,ops:t.ops,slices:l.
start_ns.map((a,i)=>({start:s+a,duration:l.duration_ns[i],op:t.ops[l.op[i]],depth:l.depth[i],seq:l.seq[i],failed:o.has(l.seq[i])}))})}}kinds(){let t=new Set;for(let n of this.
views.values()){for(let s of n.slices)t.add(s.op.kind);for(let s=0;s<n.bins.length;s+=xc)t.add(n.ops[n.bins[s+xc-1]].kind)}return[...t].sort()}hasFailed(){return[
...this.views.values()].some(t=>t.slices.some(n=>n.failed))}forget(){this.views.clear()}};var _c=100,an=(e,t,n)=>Math.min(n,Math.max(t,e));function Ko(e){return e.group==="thread"?`thread ${e.tid}`:e.group==="stream"?e.stream===0?"default stream":`st\
ream ${BigInt(e.stream).toString(16)}`:e.group==="rank"?e.rank===null?`rank unknown (pid ${e.pid})`:`rank ${e.rank}${e.nranks?` of ${e.nranks}`:""}`:e.op}var jo=e=>`${e.
process||"?"} ${e.pid}${e.node?` on ${e.node}`:""}`;function bd(e,t){let n=[];t.length&&n.push({title:"Causes",chains:t});let s=null;for(let l of e){let o=l.group===
"rank"?"Collectives by rank":jo(l);o!==s&&n.push({heading:o}),s=o,n.push({lane:l,title:Ko(l)})}return n}var Jo=class{constructor(t,n){this.context=n,this.data=new Sl(
n,()=>{this.arrange(),this.schedule()}),this.chains=[],this.lines=[],this.top=0,this.frames=[],this.canvas=p("canvas",{tabindex:"0",role:"application",id:"lanes",
"aria-roledescription":"timeline","aria-label":"Timeline. Arrow keys move, plus and minus zoom, comma and period choose calls; ? lists the keys.","aria-describe\
dby":"chosen-call"}),this.detail=p("div",{id:"chosen-call","aria-live":"polite"}),this.scroller=p("div",{class:"lanes"},this.canvas),this.where=p("span",{class:"\
quiet"});let s=(l,o,a)=>p("button",{onclick:o,title:a?`${l} (${a})`:l},l);this.cutList=p("div"),this.legend=p("ul",{class:"legend","aria-label":"Colours"}),t.append(
p("section",{class:"card"},p("h2",{},"Timeline"),p("div",{class:"bar"},s("Closer",()=>this.zoom(.5),"+"),s("Farther",()=>this.zoom(2),"\u2212"),s("Earlier",()=>this.
pan(-.3),"\u2190"),s("Later",()=>this.pan(.3),"\u2192"),s("Whole",()=>this.whole(),"0"),this.where),this.scroller,this.legend,this.cutList),U("The chosen call",
this.detail)),this.listen()}drawLegend(){let t=this.data.kinds();this.legend.replaceChildren(...t.map(n=>p("li",{},p("i",{class:`kind ${n}`}),n)),...this.chains.
length?[p("li",{},p("i",{class:"kind chain"}),"cause")]:[],...this.data.hasFailed()?[p("li",{},p("i",{class:"kind failed"}),"failed")]:[])}async start(){let{context:t}=this,
n=(o,a)=>o&&Me(o)!==null?Number(Me(o)-t.origin):a,s=Math.max(t.spanNs,1e3);this.from=n(F.from,-.01*s),this.to=Math.max(this.from+_c,n(F.to,1.01*s)),this.lane=F.
chosen.lane??null,this.chosen=F.chosen.call?Number(F.chosen.call):null;let l=await pe("get_causal_chains",{top_n:-1},t.signal);this.chains=l.chains.filter(o=>o.
onset&&Me(o.onset)!==null).map(o=>({...o,from:Number(Me(o.onset)-t.origin),to:o.end?Number(Me(o.end)-t.origin):t.spanNs})),await this.data.want(this.from,this.to,
[],800),this.cutList.replaceChildren(be(this.data)??""),this.chosen!==null?await this.describe():F.chosen.chain?this.describeChain(this.chains.find(o=>o.id===F.
chosen.chain)):this.detail.replaceChildren(p("p",{class:"quiet"},"None. Click one, or press comma or period on the timeline."))}arrange(){this.lines=bd(this.data.
lanes,this.chains),this.drawLegend()}resize(){let t=this.scroller.clientWidth;if(!t)return;this.left=t<600?88:190,this.height=an(Et+this.lines.length*Pe+6,160,Math.
max(260,innerHeight-330));let n=devicePixelRatio||1;this.canvas.width=Math.round(t*n),this.canvas.height=Math.round(this.height*n),this.canvas.style.height=`${this.
height}px`,this.width=t-this.left,this.ratio=n,this.schedule()}schedule(){this.due||this.closed||(this.due=requestAnimationFrame(()=>{this.due=0,this.draw()}))}draw(){
if(!this.width)return;if(an(Et+this.lines.length*Pe+6,160,Math.max(260,innerHeight-330))!==this.height)return this.resize();let n=performance.now(),s=this.canvas.
getContext("2d");s.setTransform(this.ratio,0,0,this.ratio,0,0),s.fillStyle=ve("card"),s.fillRect(0,0,this.left+this.width,this.height);let l={from:this.from,to:this.
to,left:this.left,width:this.width,height:this.height,lane:this.lane,chosen:this.chosen,chain:F.chosen.chain};this.top=an(this.top,0,Math.max(0,this.lines.length*
Pe-(this.height-Et))),Ia(s,l),s.save(),s.beginPath(),s.rect(0,Et,this.left+this.width,this.height-Et),s.clip();let o=this.seen();s.save(),Wa(s,o,this.data.views,
l),s.restore(),this.drawTitles(s,o),s.restore(),this.where.textContent=`${M(this.to-this.from)} from ${M(Math.max(0,this.from))} on`,this.frames.push(performance.
now()-n),this.frames.length>2e3&&this.frames.splice(0,1e3),this.canvas.frames=this.frames,this.ask()}seen(){let t=Math.floor(this.top/Pe);return this.lines.slice(
t,t+Math.ceil((this.height-Et)/Pe)+1).map((n,s)=>({line:n,y:Et+(t+s)*Pe-this.top}))}drawTitles(t,n){t.textBaseline="middle";let s=this.left<120;for(let{line:l,y:o}of n){
t.font=`${l.heading?"600 ":""}${s?11:12}px system-ui, sans-serif`;let a=l.heading??l.title,i=l.heading?t.measureText(a).width+8:this.left;t.fillStyle=l.lane&&l.
lane.lane===this.lane?ve("chosen"):ve("card"),t.fillRect(0,o,i,Pe),t.fillStyle=l.heading?ve("ink"):ve("quiet");let u=l.heading||s?2:12;l.heading?t.fillText(a,u,
o+Pe/2):t.fillText(a,u,o+Pe/2,this.left-u-4)}}ask(){this.asking||(this.asking=setTimeout(async()=>{this.asking=0;let t=this.seen().map(({line:n})=>n.lane?.lane).
filter(Boolean).slice(0,48);if(t.length)try{await this.data.want(this.from,this.to,t,this.width)}catch(n){n.name!=="AbortError"&&this.context.say(n.message)}},60))}move(t,n){
let s=Math.max(this.context.spanNs,1e3),l=an(n-t,_c,1.5*s),o=an((t+n)/2,-.2*s,1.2*s);this.from=o-l/2,this.to=o+l/2,this.schedule(),clearTimeout(this.noting),this.
noting=setTimeout(()=>{mn({from:this.data.text(this.from),to:this.data.text(this.to),chosen:this.selection()},!0),this.context.header()},250)}selection(){return{
lane:this.lane,call:this.chosen,chain:F.chosen.chain}}zoom(t,n=.5){let s=this.to-this.from,l=this.from+n*s;this.move(l-n*s*t,l+(1-n)*s*t)}pan(t){let n=t*(this.to-
this.from);this.move(this.from+n,this.to+n)}whole(){let t=Math.max(this.context.spanNs,1e3);this.move(-.01*t,1.01*t)}chooseLane(t){let n=this.lines.map((i,u)=>({
line:i,i:u})).filter(({line:i})=>i.lane);if(!n.length)return;let s=n.findIndex(({line:i})=>i.lane.lane===this.lane),l=n[an(s<0?0:s+t,0,n.length-1)];this.lane=l.
line.lane.lane;let o=l.i*Pe,a=this.height-Et-Pe;this.top=an(this.top,o-a,o),this.context.say(`${Ko(l.line.lane)}, ${jo(l.line.lane)}, ${L(l.line.lane.events)} e\
vents`),Ie(this.selection()),this.schedule()}chooseCall(t){this.lane||this.chooseLane(0);let n=this.data.views.get(this.lane)?.slices??[];if(!n.length){this.context.
say(this.data.views.get(this.lane)?.bins.length?"Too many calls to choose one here: zoom closer.":"No call here.");return}let s=n.findIndex(o=>o.seq===this.chosen),
l=s>=0?s+t:Math.max(0,n.findIndex(o=>o.start>=this.from));this.take(n[an(l,0,n.length-1)])}take(t){if(this.chosen=t?.seq??null,t&&(t.start>this.to||t.start+(t.duration??
0)<this.from)){let n=(this.to-this.from)/2;this.move(t.start-n,t.start+n)}Ie({...this.selection(),chain:null}),this.schedule(),this.describe()}async describe(){
let t=this.chosen;if(t!==null)try{let[n]=await Qe(`SELECT op_name, call, kind, layer, comm, pid, tid, duration, outcome, ret_code, failed, bytes, direction, str\
eam, kernel, gpu_id,
        library, parent_call, preempted_ns, runqueue_ns, blocked_ns, io_ns, culprit_comm, culprit_pid, culprit_ns FROM events WHERE seq = ${Number(t)}`,1);if(t!==
this.chosen||!n)return;let s=[["preempted",n.preempted_ns],["waiting for a CPU",n.runqueue_ns],["blocked",n.blocked_ns],["on I/O",n.io_ns]];this.detail.replaceChildren(
p("h3",{},n.op_name),gt([["Took",M(n.duration)],["Call",n.call],["Process",`${n.comm??"?"} ${n.pid}`],["Thread",n.tid],["Outcome",n.failed?`${n.outcome}, failed\
 (${n.ret_code})`:n.outcome],["Bytes",n.bytes===null?null:Le(n.bytes)],["Direction",n.direction],["Stream",n.stream===null?null:`0x${BigInt.asUintN(64,BigInt(n.
stream)).toString(16)}`],["Kernel",n.kernel],["Device",n.gpu_id],["Library",n.library],["Made inside",n.parent_call],["Off the CPU",s.filter(([,l])=>l).map(([l,
o])=>`${M(o)} ${l}`).join(", ")],["Meanwhile ran",n.culprit_comm?`${n.culprit_comm} ${n.culprit_pid}, ${M(n.culprit_ns)}`:null]]))}catch(n){n.name!=="AbortError"&&
this.context.say(n.message)}}describeChain(t){t&&this.detail.replaceChildren(p("h3",{},`${t.severity}: ${t.summary}`),p("p",{},t.root_cause),p("p",{class:"quiet"},
`from ${Rn(t.onset)} to ${Rn(t.end)}`))}at(t){let n=this.canvas.getBoundingClientRect(),[s,l]=[t.clientX-n.left,t.clientY-n.top],o=an((s-this.left)/this.width,0,
1);return{x:s,y:l,part:o,time:this.from+o*(this.to-this.from),line:this.lines[Math.floor((l-Et+this.top)/Pe)]}}click(t){let{line:n,time:s}=this.at(t);if(n?.chains){
let a=4*(this.to-this.from)/this.width,i=n.chains.find(u=>u.from-a<=s&&s<=u.to+a);i&&(this.chosen=null,Ie({...this.selection(),chain:i.id}),this.describeChain(i),
this.schedule());return}if(!n?.lane)return;this.lane=n.lane.lane;let l=3*(this.to-this.from)/this.width,o=null;for(let a of this.data.views.get(this.lane)?.slices??
[]){if(a.start-l>s)break;a.start+(a.duration??1/0)+l>=s&&(!o||a.depth>=o.depth)&&(o=a)}o?this.take(o):(Ie(this.selection()),this.context.say(`${Ko(n.lane)}, ${jo(
n.lane)}`),this.schedule())}listen(){let{canvas:t}=this;t.addEventListener("wheel",s=>{s.preventDefault(),s.ctrlKey||s.metaKey?this.zoom(Math.exp(s.deltaY/300),
this.at(s).part):s.shiftKey||Math.abs(s.deltaX)>Math.abs(s.deltaY)?this.pan((s.deltaX||s.deltaY)/this.width):this.lines.length*Pe>this.height-Et?(this.top+=s.deltaY,
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
onScheme)}},ft=null;async function xd(e,t){Wo();let n=new Jo(e,t);try{await n.start()}catch(s){throw n.close(),s}return n.arrange(),ft=n,()=>n.close()}async function _d(e){
if(!ft||ft.closed)return;let t=ft.to>=ft.context.spanNs;if(ft.context.spanNs=e.spanNs,ft.data.forget(),!F.from&&!F.to)ft.from=-.01*e.spanNs,ft.to=1.01*e.spanNs;else if(t&&
ft.to<e.spanNs){let n=ft.to-ft.from;ft.from=e.spanNs-n,ft.to=e.spanNs+.01*n}ft.schedule()}var yc={name:"timeline",title:"Timeline",draw:xd,refresh:_d};var Ps=[dc,ja,yc,cr,Ga,rr,qa,gc,wc,ur],yd=2e3,vc="a,button,input,select,summary,[tabindex]",We=document.getElementById("main"),Is=document.getElementById("notic\
e"),vd=document.getElementById("status"),Xe={info:null,origin:0n,spanNs:0,say:e=>{vd.textContent=e},header:()=>Wn()},Mt=null,El=!0,Sd=new Qs(Ps,()=>{El=!El,Wn()}),
Wn=()=>Sd.draw(Xe,El),Ws=()=>Ps.find(e=>e.name===F.view)??Ps[0],Sc=(e,t)=>e.file===t.file&&e.schema===t.schema&&e.legacy===t.legacy;async function kd(){let e=await pe(
"get_trace_stats"),{file:t,live:n,earlier_agent:s,schema:l}=e.recording,o=Xe.info;return Xe.info={file:t,live:n,legacy:s,schema:l,first:e.first,last:e.last,events:e.
events},Xe.origin=Me(e.first)??0n,Xe.spanNs=e.last?Number(Me(e.last)-Xe.origin):0,!o||Sc(o,Xe.info)&&(o.first??e.first)===e.first}Pi(e=>{let{info:t}=Xe;if(!(!t||
Sc(t,{...e,legacy:e.earlier_agent})&&(t.live||!e.live)))throw Ed(),new DOMException("the server has another recording now","AbortError")});function Ml(){Mt?.abort.
abort(),Mt?.close?.(),Mt=null}function Ed(){Ml(),Xe.info=null,Wn(),Fs(Ws()),Xo()}function Fs(e){Is.hidden=!0,Xe.say(""),We.replaceChildren(ji(e.title)),We.setAttribute(
"aria-busy","true"),so()}async function kc(e=!1){let t=Ws(),n=Mt,s={view:t,part:`${F.from} ${F.to}`,abort:new AbortController},l=n!==null&&n.view===t&&(e||n.part===
s.part);n?.abort.abort(),l||Ml(),Mt=s,Wn(),l?e||(We.setAttribute("aria-busy","true"),so()):Fs(t);let o=p("div",{class:`view ${t.name}`,id:"view",role:"tabpanel",
"aria-labelledby":`tab-${t.name}`}),a=()=>{Mt===s&&!l&&We.replaceChildren(o)};try{if(s.close=await t.draw(o,{...Xe,signal:s.abort.signal,show:a}),Mt!==s){s.close?.();
return}Is.hidden=!0}catch(i){if(Mt!==s||i.name==="AbortError")return;if(i instanceof mt&&i.status===401)return ei(i.message);o.replaceChildren(),Qo(i)}l&&n.close?.(),
We.contains(o)||Md(o,l),We.removeAttribute("aria-busy"),Xs()}var kl=e=>`${e.tagName} ${e.id} ${e.getAttribute("aria-label")??e.textContent}`;function Md(e,t){let n=document.
activeElement,[s,l]=We.contains(n)?[[...We.querySelectorAll(vc)].indexOf(n),kl(n)]:[-1,""],o=[scrollX,scrollY],a=new Set([...We.querySelectorAll("details[open] \
> summary")].map(kl));if(We.replaceChildren(e),!t)return;for(let u of We.querySelectorAll("details > summary"))a.has(kl(u))&&(u.parentNode.open=!0);let i=[...We.
querySelectorAll(vc)];s>=0&&(i.find(u=>kl(u)===l)??i[s])?.focus({preventScroll:!0}),scrollTo(...o)}function Qo(e){Is.textContent=e instanceof mt?e.message:`This\
 page failed: ${e.message}`,Is.hidden=!1,e instanceof mt||console.error(e)}var $d=()=>We.hasAttribute("aria-busy")||We.querySelector(":active, input:focus, sele\
ct:focus")!==null,Zo=0;async function Xo(){let e=++Zo,t=!Xe.info||Xe.info.live&&El&&!document.hidden;try{if(t){let n=!Xe.info,s=await kd();if(e!==Zo)return;Is.hidden=
!0,s||Ml(),Mt?.view.refresh&&!n?(Wn(),await Mt.view.refresh(Xe)):(!Mt||!$d())&&await kc(Mt!==null)}}catch(n){if(n.name==="AbortError")return;if(n.status===401)return ei(
n.message);Xe.info||(We.replaceChildren(),We.removeAttribute("aria-busy"),Xs()),Qo(n)}setTimeout(()=>e===Zo&&Xo(),yd)}async function ei(e){Ml(),Xe.info=null,Fs(
Ws());try{(e!==void 0||await Wi())&&(We.removeAttribute("aria-busy"),Xs(),await Fi(We,e??""),document.activeElement?.blur(),Fs(Ws()))}catch(t){Qo(t)}Xo()}addEventListener(
"keydown",e=>qi(e,Ps,Mt?.view));document.getElementById("skip").addEventListener("click",e=>{e.preventDefault(),We.focus()});zi(()=>{if(Xe.info)return kc().then(
()=>{document.activeElement===document.body&&We.focus({preventScroll:!0})});Wn(),We.hasAttribute("aria-busy")&&Fs(Ws())});Vi();Hi(Ps);Wn();ei();
