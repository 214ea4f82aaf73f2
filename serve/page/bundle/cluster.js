// Made by serve/page/build.mjs from serve/page/source/: change those.
function r(e,t={},...o){let s=document.createElement(e);for(let[n,a]of Object.entries(t))a==null||a===!1||(n.startsWith("on")?s.addEventListener(n.slice(2),a):s.
setAttribute(n,a===!0?"":String(a)));for(let n of o.flat(2))n==null||n===!1||s.append(n instanceof Node?n:document.createTextNode(String(n)));return s}var R="\u2013",
P=e=>e!=null;function Ae(e){let t=Math.abs(e);return t>=100?e.toFixed(0):t>=10?e.toFixed(1):e.toFixed(2)}var Ie=[["s",1e9],["ms",1e6],["\xB5s",1e3]];function Q(e){
if(!P(e))return R;let t=Math.abs(e);if(t===0)return"0";if(t>=36e11)return`${(e/36e11).toFixed(1)} h`;if(t>=12e10)return`${(e/6e10).toFixed(1)} min`;for(let[o,s]of Ie)
if(t>=s)return`${Ae(e/s)} ${o}`;return`${Math.round(e)} ns`}function h(e){return P(e)?Number(e).toLocaleString("en"):R}function ee(e){return P(e)&&Number.isFinite(e)?`${(100*e).toFixed(e<.1?1:0)} %`:R}function te(e){let t=e/1000000000n;return`${new Date(Number(t)*1e3).toISOString().slice(0,19)}.${String(e-t*1000000000n).padStart(9,"0")}Z`}var N="ingero-token",k=class extends Error{constructor(t,o,s){super(s),this.status=t,this.word=o}},Oe=/"(?:[^"\\]|\\.)*"|(?<![\d.])-?\d{16,}(?![\d.eE])/g,Be=e=>JSON.
parse(e.replace(Oe,t=>t[0]==='"'||Number.isSafeInteger(Number(t))?t:`"${t}"`));async function ne(e,t,o,s){let n=sessionStorage.getItem(N),a=n?{Authorization:`Be\
arer ${n}`}:{};o!==void 0&&(a["Content-Type"]="application/json");let u;try{u=await fetch(t,{method:e,headers:a,body:o,signal:s,credentials:"omit",cache:"no-sto\
re"})}catch(i){throw i.name==="AbortError"?i:new k(0,"gone","the server does not answer")}let l;try{l=Be(await u.text())}catch(i){if(i.name==="AbortError")throw i;
if(u.ok)throw new k(u.status,"internal",`the server's answer cannot be read: ${i.message}`);l={error:`status ${u.status}`,class:"internal"}}if(!u.ok)throw new k(
u.status,l.class,l.error);return l}var Me={get_trace_stats:"the figures of all calls",get_time_spent:"where the time went",get_causal_chains:"the causes",get_calls_in_flight:"\
calls that have not returned",get_distributions:"distributions",get_timeline:"the timeline",get_stacks:"stacks",get_memory:"memory by call site",find_outlier_nodes:"\
the clusters",run_analysis:"who is late, and why",effects:"ranks by time",get_collectives:"collectives",get_inference:"steps of inference",get_fabric:"counters \
of the fabric",get_devices:"readings of devices"},D=new Set,Z=[],qe=()=>{},oe=e=>Z.push(e),se=()=>[...new Set([...D].map(e=>e.about))];async function z(e,t={},o=void 0){let s={about:Me[e]??"rows"};D.add(s);for(let n of Z)n();try{let n=await ne("POST",`/api/v1/tools/${e}`,JSON.stringify(t),o);return o?.
throwIfAborted(),n.recording&&qe(n.recording),n}finally{D.delete(s);for(let n of Z)n()}}var re=e=>ne("GET",e);async function ie(){let{asks_token:e}=await re("/page.json");return e&&!sessionStorage.getItem(N)}function ae(e,t,o="the recording"){return sessionStorage.removeItem(
N),new Promise(s=>{let n=r("input",{id:"token",type:"password",autocomplete:"off",spellcheck:"false",required:!0}),a=r("p",{role:"alert"},t),u=r("form",{class:"\
card login"},r("h2",{},"Token"),r("p",{},`The server was started with a token, and shows ${o} to those who have it. It is kept in this tab only.`),r("label",{for:"\
token"},"Bearer token"),n,r("button",{type:"submit"},"Open"),a);u.addEventListener("submit",async l=>{l.preventDefault(),sessionStorage.setItem(N,n.value);try{await re(
"/api/v1/health"),s()}catch(i){sessionStorage.removeItem(N),a.textContent=i.status===401?"That is not the token.":i.message,n.select()}}),e.replaceChildren(u),n.
focus()})}var ce=new Map,We=(e,t)=>`${e} ${t}${e===1?"":"s"}`;function je(e,t,o){let s=r("div",{class:"table",role:"group","aria-label":e},t,o),n=r("button",{class:"hint",
hidden:!0},"More columns"),a=[...t.querySelectorAll("thead th")],u=()=>{let d=s.clientWidth;if(!d)return;let _=s.scrollWidth>d+1,E=_?a.filter(y=>y.offsetLeft+y.
offsetWidth>s.scrollLeft+d+1):[],w=E.length;s.classList.toggle("is-wide",_),l.classList.toggle("is-cut",w>0),_?s.tabIndex=0:s.removeAttribute("tabindex"),n.hidden=
!_,n.textContent=w?`${We(w,"more column")} \u2192`:"\u2190 to the first column",n.onclick=()=>{let y=w?E[0].offsetLeft-a[0].offsetWidth:0;s.scrollLeft=w&&y<=s.scrollLeft?
s.scrollLeft+d/2:y}},l=r("div",{class:"frame"},n,s);s.addEventListener("scroll",u,{passive:!0});let i=new ResizeObserver(u);return i.observe(s),i.observe(t),l}function I({
caption:e,columns:t,rows:o,sorted:s=null,choose:n=null,key:a=null,chosen:u=null,most:l=200}){let i=ce.get(e)??{by:s,down:!0};ce.set(e,i);let d=r("tbody"),_=r("p",
{class:"quiet"});function E(){let m=t[i.by],T=o;m?.sort&&(T=[...o].sort((b,$)=>{let[g,x]=[m.sort(b),m.sort($)],L=g===x?0:g==null?-1:x==null?1:g<x?-1:1;return i.
down?-L:L})),d.replaceChildren(...T.slice(0,l).map(b=>{let $=r("tr",{"aria-selected":a&&u!==null?String(a(b))===String(u):void 0});return t.forEach((g,x)=>{let L=g.
node?g.node(b):g.text(b);$.append(r(x===0?"th":"td",{scope:x===0?"row":void 0,class:g.number?"number":void 0},x===0&&n?r("button",{class:"plain",onclick:()=>n(b)},
L):L))}),$})),_.textContent=o.length>l?`${l} of ${o.length} rows are shown.`:"",w.forEach((b,$)=>b.setAttribute("aria-sort",$!==i.by?"none":i.down?"descending":
"ascending"))}let w=t.map((m,T)=>r("th",{scope:"col",class:m.number?"number":void 0,title:m.title},m.sort?r("button",{class:"plain",onclick:()=>{i.down=i.by===T?
!i.down:!0,i.by=T,E()}},m.head):m.head)),y=r("table",{},r("caption",{},e),r("thead",{},r("tr",{},w)),d);return E(),je(e,y,_)}var S=(e,...t)=>r("section",{class:"card"},r("h2",{},e),...t),O=e=>r("p",{class:"quiet"},e),le=e=>e?.cut?.length?r("ul",{class:"cut"},e.cut.map(t=>r("li",{},t))):
null;var ue=e=>te(BigInt(e)),v=e=>ue(e).slice(11,19),de=e=>`${ue(e).slice(0,19)}Z`;var fe=8;function he({sentences:e,cut:t}){let[o,...s]=e;return S("The cause",r("article",{class:"chain"},r("h3",{id:"verdict"},o),s.length?r("ul",{"aria-label":"\
The state of the cluster"},s.map(n=>r("li",{},n))):null),le({cut:t}))}var Fe=e=>e.rank===null?e.node_id:`rank ${e.rank}`,G=e=>Q(Math.round(1e9*e));function Ue({
delayed:e,delayed_count:t}){let o=e.slice(0,fe).join(", ");return t?`${h(t)}: ${o}${t>Math.min(e.length,fe)?", \u2026":""}`:"0"}function Re({kind:e,evidence:t}){
return e!=="straggler"?"its health score":`of each step ${G(t.cpu_wait_s_per_step)} more waiting for a CPU, ${G(t.storage_wait_s_per_step)} for storage`}var Pe=(e,t,o)=>r(
"button",{class:"plain",onclick:()=>t(e.node_id,o)},e.node_id);function pe({outliers:e,jobs:t},o){let s=t.some(n=>n.ranks>0);return e.length?S("Late ranks",I({caption:"\
Late ranks",rows:e,choose:n=>o(n.node_id,n.since_ns),columns:[{head:"Rank",text:Fe,sort:n=>n.rank},{head:"Node",text:n=>`${n.node_id}${n.scope==="node"&&n.rank!==
null?" (most of its ranks)":""}`,sort:n=>n.node_id},{head:"State",text:n=>n.state,sort:n=>n.state},{head:"Class",text:n=>n.class,sort:n=>n.class},{head:"Later",
number:!0,title:"Than the median of its peers, of each step",text:n=>ee(n.effect),sort:n=>n.effect},{head:"Each step",number:!0,text:n=>G(n.lateness_s_per_step),
sort:n=>n.lateness_s_per_step},{head:"Score",number:!0,title:"3.5: suspect, 7: named, 14 at most",text:n=>n.score.toFixed(1),sort:n=>n.score},{head:"Since (UTC)",
number:!0,text:n=>v(n.since_ns),sort:n=>String(n.since_ns)},{head:"Confidence",number:!0,text:n=>n.confidence===null?"\u2013":n.confidence.toFixed(2),sort:n=>n.
confidence},{head:"Ranks that wait for it",text:Ue,sort:n=>n.delayed_count},{head:"Evidence",text:Re}]})):S("Late ranks",O(s?"No rank is late, and none is suspe\
cted.":"Nothing has been compared yet."))}function De(e,t){let{evidence:o}=e;return r("article",{class:"chain"},r("h3",{},`${o.sentence[0].toUpperCase()}${o.sentence.
slice(1)}.`),r("p",{class:"quiet"},`${e.kind.replaceAll("_"," ")} \xB7 since ${de(e.from_ns)} \xB7 ${h(o.waiting_ranks)} wait, ${h(o.held_up_ranks)} of them hel\
d up in other communicators \xB7 confidence ${e.confidence.toFixed(2)}`),o.ranks.length?I({caption:"Ranks that are waited for",rows:o.ranks.map(s=>({...s,number:o.
number})),columns:[{head:"Rank",text:s=>`rank ${s.rank}`,sort:s=>s.rank},{head:"Node",node:s=>Pe(s,t,e.from_ns),sort:s=>s.node_id},{head:"Last entered",number:!0,
text:s=>h(s.entered),sort:s=>s.entered},{head:"Last left",number:!0,text:s=>h(s.left),sort:s=>s.left},{head:"Others are in",number:!0,text:s=>h(s.number)},{head:"\
Its last operation",text:s=>s.op_type??"\u2013"},{head:"Last heard (UTC)",number:!0,text:s=>v(s.last_ns),sort:s=>String(s.last_ns)}]}):null,o.rank_count>o.ranks.
length?O(`${h(o.ranks.length)} of ${h(o.rank_count)} ranks are listed.`):null)}function me({hangs:e},t){return e.length?S("Hangs",e.map(o=>De(o,t)),O("Nodes do \
not send processes and stacks. Choose a node to see the command that shows where its ranks are.")):null}function ge({incidents:e}){return e.length?S("What was",
I({caption:"Incidents that have ended",rows:e,most:50,columns:[{head:"What",text:t=>t.evidence.sentence??t.kind},{head:"Class",text:t=>t.class,sort:t=>t.class},
{head:"State",text:t=>t.state,title:"silent: nothing comes of it any more, so that its end is not known",sort:t=>t.state},{head:"From (UTC)",number:!0,text:t=>v(
t.from_ns),sort:t=>String(t.from_ns)},{head:"To (UTC)",number:!0,text:t=>v(t.to_ns),sort:t=>String(t.to_ns)}]})):null}var B=class{constructor({choose:t,follow:o}){this.list=r("select",{id:"clusters",onchange:()=>t(this.list.value)}),this.label=r("label",{for:"clusters",hidden:!0},
"Cluster ",this.list),this.text=r("span"),this.button=r("button",{id:"follow",onclick:o}),document.getElementById("cluster").append(this.label),document.getElementById(
"part").append(this.text," ",this.button),this.names=""}draw({follows:t,cluster:o,jobs:s}){if(this.button.textContent=t?"Live: following":"Live: paused",this.button.
setAttribute("aria-pressed",String(t)),!s)return;let n=[...new Set([...s.map(i=>i.cluster_id),...o===null?[]:[o]])].sort();this.names!==n.join(`
`)&&(this.names=n.join(`
`),this.list.replaceChildren(...n.map(i=>r("option",{value:i},i)))),this.label.hidden=n.length===0,o!==null&&(this.list.value=o);let a=s.filter(i=>i.cluster_id===
o),u=a.reduce((i,d)=>i+d.ranks,0),l=a.map(i=>BigInt(i.last_window_end_ns)).reduce((i,d)=>d>i?d:i,0n);this.text.textContent=a.length?`${h(u)} ranks are compared,\
 to ${v(l)} UTC`:"",document.title=[o,"ingero fleet"].filter(Boolean).join(" \u2013 ")}};var M=class{constructor(){this.element=r("div",{hidden:!0})}async update(){}chooseNode(){}moved(){}close(){}};var f={view:"overview",from:null,to:null,chosen:{}},we=[],be=e=>we.push(e);function J(){let[e,t=""]=location.hash.replace(/^#\/?/,"").split("?"),o=new URLSearchParams(
t);f.view=e||"overview",f.from=o.get("from"),f.to=o.get("to"),o.delete("from"),o.delete("to"),f.chosen=Object.fromEntries(o)}function Ze({view:e=f.view,from:t=f.
from,to:o=f.to,chosen:s={}}={}){let n=new URLSearchParams;t&&n.set("from",t),o&&n.set("to",o);for(let[u,l]of Object.entries(s))l!=null&&n.set(u,l);let a=n.toString();
return`#/${e}${a?`?${a}`:""}`}function xe(e,t=!1){let o=Ze(e);if(o!==location.hash){if(!t){location.hash=o;return}history.replaceState(null,"",o),J()}}function ke(){J(),addEventListener("hashchange",()=>{J();for(let e of we)e()})}var _e=(e,t=!0)=>xe({view:"cluster",chosen:{...f.chosen,...e}},t);var H=document.getElementById("progress"),ye=r("span"),ve=r("span",{"aria-hidden":"true"});H.replaceChildren(ye,ve);var A=null,$e=0;function Y(){if(A===null)return;
let e=se();ye.textContent=`Loading ${e.length?e.join(", "):"the view"}`;let t=Math.floor((performance.now()-A)/1e3);ve.textContent=t?` \u2026 ${t} s`:" \u2026"}
oe(Y);function Se(){A===null&&($e=setInterval(Y,1e3)),A=performance.now(),H.hidden=!1,Y()}function q(){A=null,clearInterval($e),H.hidden=!0}var ze=(e=3)=>r("div",
{class:"waiting","aria-hidden":"true"},Array.from({length:e},()=>r("i"))),Ce=e=>r("div",{class:"view outline"},r("section",{class:"card"},r("h2",{},e),ze(6)));var Ee="a,button,input,select,summary,[tabindex]",W=e=>`${e.tagName} ${e.id} ${e.getAttribute("aria-label")??e.textContent}`;function Te(e,t){let o=document.activeElement,
[s,n]=e.contains(o)?[[...e.querySelectorAll(Ee)].indexOf(o),W(o)]:[-1,""],a=[scrollX,scrollY],u=new Set([...e.querySelectorAll("details[open] > summary")].map(W));
e.replaceWith(t);for(let i of t.querySelectorAll("details > summary"))u.has(W(i))&&(i.parentNode.open=!0);let l=[...t.querySelectorAll(Ee)];s>=0&&(l.find(i=>W(i)===
n)??l[s])?.focus({preventScroll:!0}),scrollTo(...a)}var Ge=2e3,Je=100,p=document.getElementById("main"),U=document.getElementById("notice"),F=0,c=null,C=!0,V=new B({choose:e=>_e({cluster:e,job:null,node:null,at:null},
!1),follow:()=>{C=!C,V.draw({follows:C})}});function Le(e){U.textContent=e instanceof k?e.message:`This page failed: ${e.message}`,U.hidden=!1,e instanceof k||console.
error(e)}function Ye(){c?.abort.abort(),c?.heat?.close(),c=null}function K(){Ye(),U.hidden=!0,p.replaceChildren(Ce("The cause")),p.setAttribute("aria-busy","tru\
e"),Se(),c={cluster:null,cards:new Map,heat:null,abort:new AbortController}}function j(e,t,o){let s=JSON.stringify(t),n=c.cards.get(e);if(n?.text===s)return;let a=o(
t)??r("div",{hidden:!0});a.id=e,c.cards.set(e,{text:s,made:a}),n?Te(n.made,a):c.view.append(a)}function He(e,t){let{sentences:o,outliers:s,hangs:n,incidents:a,jobs:u,
cut:l}=e;c.view||(c.view=r("div",{class:"view cluster-view"}),p.replaceChildren(c.view)),j("cause",{sentences:o,cut:l},he),j("hangs",{hangs:n},i=>me(i,t)),j("la\
te",{outliers:s,jobs:u},i=>pe(i,t)),c.heat||(c.heat=new M(c.cluster,c.abort.signal),c.view.append(c.heat.element)),j("incidents",{incidents:a.filter(i=>i.state!==
"open")},ge)}function Ke({jobs:e,outliers:t}){let o=f.chosen.cluster;return o!==void 0?o:t[0]?.cluster_id??[...e].sort((s,n)=>n.ranks-s.ranks)[0]?.cluster_id??null}
async function Ve(){let{signal:e}=c.abort,t=await z("find_outlier_nodes",{top_n:1},e),o=Ke(t);c.cluster=o,V.draw({follows:C,cluster:o,jobs:t.jobs});let s=await z(
"run_analysis",{...o!==null&&{cluster_id:o},top_n:Je},e);He(s,(n,a)=>c.heat.chooseNode(n,a)),await c.heat.update(s),p.removeAttribute("aria-busy"),q(),U.hidden=
!0}var Xe=()=>p.querySelector(":active, input:focus, select:focus")!==null;async function X(){let e=++F;try{(c.view===void 0||C&&!document.hidden&&!Xe())&&await Ve()}catch(t){
if(e!==F||t.name==="AbortError")return;if(t.status===401)return Ne(t.message);c.view||p.replaceChildren(),p.removeAttribute("aria-busy"),q(),Le(t)}setTimeout(()=>e===
F&&X(),Ge)}async function Ne(e){++F,K();try{(e!==void 0||await ie())&&(p.removeAttribute("aria-busy"),q(),await ae(p,e??"","the cluster"),document.activeElement?.
blur(),K())}catch(t){Le(t)}X()}document.getElementById("skip").addEventListener("click",e=>{e.preventDefault(),p.focus()});be(()=>{if(!c||(f.chosen.cluster??c.cluster)===
c.cluster){c?.heat?.moved();return}K(),X()});ke();V.draw({follows:C});Ne();
