// Made by serve/page/build.mjs from serve/page/source/: change those.
function t(e,n={},...o){let i=document.createElement(e);for(let[s,a]of Object.entries(n))a==null||a===!1||(s.startsWith("on")?i.addEventListener(s.slice(2),a):i.
setAttribute(s,a===!0?"":String(a)));for(let s of o.flat())s==null||s===!1||i.append(s instanceof Node?s:document.createTextNode(String(s)));return i}var K="\u2013",
V=e=>e!=null;function fe(e){return e>=100?e.toFixed(0):e>=10?e.toFixed(1):e.toFixed(2)}var me=[["s",1e9],["ms",1e6],["\xB5s",1e3]];function h(e){if(!V(e))return K;
let n=Math.abs(e);if(n>=36e11)return`${(e/36e11).toFixed(1)} h`;if(n>=12e10)return`${(e/6e10).toFixed(1)} min`;for(let[o,i]of me)if(n>=i)return`${fe(e/i)} ${o}`;
return`${Math.round(e)} ns`}function v(e){return V(e)?Number(e).toLocaleString("en"):K}function A(e){let n=/^(.*?)(?:\.(\d{1,9}))?Z$/.exec(e??""),o=n?Date.parse(`${n[1]}Z`):NaN;return Number.isNaN(o)?null:BigInt(o)*1000000n+BigInt((n[2]??"").padEnd(
9,"0"))}function M(e){return e?e.slice(11,23).replace("Z",""):K}var L="ingero-token",x=class extends Error{constructor(n,o,i){super(i),this.status=n,this.word=o}};async function z(e,n,o,i){let s=sessionStorage.getItem(L),a=s?
{Authorization:`Bearer ${s}`}:{};o!==void 0&&(a["Content-Type"]="application/json");let c;try{c=await fetch(n,{method:e,headers:a,body:o,signal:i,credentials:"o\
mit",cache:"no-store"})}catch(d){throw d.name==="AbortError"?d:new x(0,"gone","the server does not answer")}let l=await c.json().catch(()=>({error:`status ${c.status}`,
class:"internal"}));if(!c.ok)throw new x(c.status,l.class,l.error);return l}var C=(e,n={},o=void 0)=>z("POST",`/api/v1/tools/${e}`,JSON.stringify(n),o),X=e=>z("\
GET",e);async function J(e){let{asks_token:n}=await X("/page.json");!n||sessionStorage.getItem(L)||await q(e,"")}function q(e,n){return sessionStorage.removeItem(L),new Promise(
o=>{let i=t("input",{id:"token",type:"password",autocomplete:"off",spellcheck:"false",required:!0}),s=t("p",{role:"alert"},n),a=t("form",{class:"card login"},t(
"h2",{},"Token"),t("p",{},"The recording is for those who have the token that the server was started with. It stays in this tab."),t("label",{for:"token"},"Bear\
er token"),i,t("button",{type:"submit"},"Open"),s);a.addEventListener("submit",async c=>{c.preventDefault(),sessionStorage.setItem(L,i.value);try{await X("/api/\
v1/health"),o()}catch(l){sessionStorage.removeItem(L),s.textContent=l.status===401?"That is not the token.":l.message,i.select()}}),e.replaceChildren(a),i.focus()})}var u={view:"overview",from:null,to:null,chosen:{}},Q=[],ee=e=>Q.push(e);function R(){let[e,n=""]=location.hash.replace(/^#\/?/,"").split("?"),o=new URLSearchParams(
n);u.view=e||"overview",u.from=o.get("from"),u.to=o.get("to"),o.delete("from"),o.delete("to"),u.chosen=Object.fromEntries(o)}function $({view:e=u.view,from:n=u.
from,to:o=u.to,chosen:i={}}={}){let s=new URLSearchParams;n&&s.set("from",n),o&&s.set("to",o);for(let[c,l]of Object.entries(i))l!=null&&s.set(c,l);let a=s.toString();
return`#/${e}${a?`?${a}`:""}`}function B(e,n=!1){let o=$(e);if(o!==location.hash){if(!n){location.hash=o;return}history.replaceState(null,"",o),R()}}var P=()=>({...u.from&&{from:u.from},...u.to&&{to:u.to}});function te(){R(),addEventListener("hashchange",()=>{R();for(let e of Q)e()})}var he=[["1 to 9","the views, in their order"],["0","the whole recording"],["?","this list"],["Escape","closes it"]],pe=[["\u2190 \u2192","earlier, later"],["+ \
\u2212","closer, farther (also \u2191 \u2193 with Ctrl, or the wheel with Ctrl)"],["\u2191 \u2193","the lane above, below"],[", .","the previous, the next call \
of the lane"],["Enter","as close as the chosen call"],["Home End","the beginning, the end"]],j=document.getElementById("keys"),ne=(e,n)=>[t("h3",{},e),t("dl",{class:"\
keys"},n.map(([o,i])=>t("div",{},t("dt",{},t("kbd",{},o)),t("dd",{},i))))];function oe(){j.replaceChildren(t("h2",{id:"keys-title"},"Keys"),...ne("Everywhere",he),
...ne("On the timeline",pe),t("button",{onclick:()=>j.close()},"Close"))}var ge=e=>e instanceof HTMLElement&&(e.isContentEditable||/^(INPUT|SELECT|TEXTAREA)$/.test(
e.tagName));function re(e,n){if(e.ctrlKey||e.metaKey||e.altKey||ge(e.target)||j.open)return;let o=Number(e.key);if(e.key==="?")j.showModal();else if(e.key==="0")
B({from:null,to:null});else if(o>=1&&o<=n.length)B({view:n[o-1].name});else return;e.preventDefault()}function D({caption:e,columns:n,rows:o,sorted:i=null,choose:s=null,key:a=null,chosen:c=null,most:l=200}){let d={by:i,down:!0},f=t("tbody"),r=t("p",{class:"quiet"});
function k(){let p=n[d.by],T=o;p?.sort&&(T=[...o].sort((b,S)=>{let[g,y]=[p.sort(b),p.sort(S)],I=g===y?0:g==null?-1:y==null?1:g<y?-1:1;return d.down?-I:I})),f.replaceChildren(
...T.slice(0,l).map(b=>{let S=t("tr",{"aria-selected":a&&c!==null?String(a(b))===String(c):void 0});return n.forEach((g,y)=>{let I=g.node?g.node(b):g.text(b);S.
append(t(y===0?"th":"td",{scope:y===0?"row":void 0,class:g.number?"number":void 0},y===0&&s?t("button",{class:"plain",onclick:()=>s(b)},I):I))}),S})),r.textContent=
o.length>l?`${l} of ${o.length} rows are shown.`:"",G.forEach((b,S)=>b.setAttribute("aria-sort",S!==d.by?"none":d.down?"descending":"ascending"))}let G=n.map((p,T)=>t(
"th",{scope:"col",class:p.number?"number":void 0,title:p.title},p.sort?t("button",{class:"plain",onclick:()=>{d.down=d.by===T?!d.down:!0,d.by=T,k()}},p.head):p.
head)),de=t("div",{class:"table",tabindex:"0",role:"group","aria-label":e},t("table",{},t("caption",{},e),t("thead",{},t("tr",{},G)),f),r);return k(),de}function se(e){
return t("dl",{class:"facts"},e.filter(([,n])=>n!=null&&n!=="").map(([n,o])=>t("div",{},t("dt",{},n),t("dd",{},o))))}var N=(e,...n)=>t("section",{class:"card"},
t("h2",{},e),...n),W=e=>t("p",{class:"quiet"},e),U=e=>e?.cut?.length?t("ul",{class:"cut"},e.cut.map(n=>t("li",{},n))):null;var ae=e=>t("span",{class:`severity ${String(e).toLowerCase()}`},e);function we(e){return e?.length?t("details",{},t("summary",{},`Where it happened: ${e[0]}`),
t("ol",{class:"frames"},e.map(n=>t("li",{},n)))):null}function ie(e,n){let o=[e.process&&`${e.process} (${e.pid})`,e.rank!==null&&e.rank!==void 0&&`rank ${e.rank}`,
e.op,e.lost_ns&&`${h(e.lost_ns)} lost`,e.onset&&`from ${M(e.onset)}`,e.node];return t("article",{class:"chain"},t(n?"h3":"h4",{},ae(e.severity)," ",e.summary),t(
"p",{class:"cause"},e.root_cause),e.explanation?t("p",{},e.explanation):null,t("p",{class:"quiet"},o.filter(Boolean).join(" \xB7 ")),e.recommendations?.length?t(
"ul",{class:"remedies","aria-label":"Remedies"},e.recommendations.map(i=>t("li",{},i))):null,we(e.stack),e.timeline?.length?t("details",{},t("summary",{},`${e.timeline.
length} steps`),t("ol",{},e.timeline.map(i=>t("li",{},t("b",{},i.layer),` ${i.detail}`)))):null,e.onset&&e.end?t("p",{},t("a",{href:$({view:"timeline",from:e.onset,
to:e.end,chosen:{chain:e.id}})},"Show it on the timeline")):null)}async function be(e,{info:n,signal:o}){let[i,s,a]=await Promise.all([C("get_causal_chains",{...P(),
top_n:20},o),C("get_trace_stats",P(),o),C("get_calls_in_flight",{...P(),limit:5},o)]),[c,...l]=i.chains,d=n.live?"No cause has been found so far.":"Nothing is w\
rong that the rules know of.";e.append(N("The cause",c?ie(c,!0):W(d),l.length?t("details",{},t("summary",{},`${l.length} more`),l.map(r=>ie(r,!1))):null,i.earlier_chains?.
length?t("details",{},t("summary",{},`${i.earlier_chains.length} chains that the earlier agent stored`),t("ul",{},i.earlier_chains.map(r=>t("li",{},ae(r.severity),
` ${r.summary}: ${r.verdict}`)))):null,U(i))),a.calls.length&&e.append(N("Calls that have not returned",D({caption:"Calls in flight, longest first",rows:a.calls,
columns:[{head:"Call",text:r=>r.call},{head:"Thread",text:r=>`${r.process??""} ${r.pid}/${r.tid}`},{head:"For",text:r=>h(r.duration_ns),number:!0}]})));let f=s.
calls.slice(0,8);e.append(N("Where the calls' time went",f.length?D({caption:"Calls by total time",rows:f,columns:[{head:"Call",node:r=>t("a",{href:$({view:"ope\
rations",chosen:{op:r.call}})},r.op)},{head:"Count",text:r=>v(r.count),number:!0},{head:"Total",text:r=>h(r.total_ns),number:!0},{head:"p50",text:r=>h(r.p50_ns),
number:!0},{head:"p99",text:r=>h(r.p99_ns),number:!0},{head:"Longest",text:r=>h(r.max_ns),number:!0}]}):W("No call was recorded in this part.")),N("Processes",D(
{caption:"Processes",rows:s.processes,most:20,columns:[{head:"Process",text:r=>`${r.process??"?"} ${r.pid}`},{head:"Calls",text:r=>v(r.calls),number:!0},{head:"\
Errors",text:r=>v(r.errors),number:!0},{head:"Host events",text:r=>v(r.host_events),number:!0},{head:"Longest call",text:r=>h(r.calls?r.max_ns:null),number:!0}]})),
N("The recording",se([["File",n.file],["Schema",n.schema],["Events in this part",v(s.events)],["First",s.first],["Last",s.last],["Rows pruned",s.rows_pruned?v(s.
rows_pruned):null],["Lost",s.lost===null?"not known: the earlier agent kept no account":s.lost.some(r=>r.severity!=="info")?t("a",{href:$({view:"health"})},"som\
ething was: see Capture"):"nothing"]]),U(s)))}var le={name:"overview",title:"Overview",draw:be};var _=[le],ye=2e3,w=document.getElementById("main"),F=document.getElementById("notice"),xe=document.getElementById("status"),m={info:null,origin:0n,spanNs:0,say:e=>{
xe.textContent=e}},E=null,O=!0;async function ve(){let e=await C("get_trace_stats"),{file:n,live:o,earlier_agent:i,schema:s}=e.recording;m.info={file:n,live:o,earlier:i,
schema:s,first:e.first,last:e.last,events:e.events},m.origin=A(e.first)??0n,m.spanNs=e.last?Number(A(e.last)-m.origin):0}function H(){let{file:e,live:n,earlier:o,
first:i,events:s}=m.info;document.title=`${_.find(r=>r.name===u.view)?.title??"?"} \u2013 ${e} \u2013 ingero`;let a=[e,`${Number(s).toLocaleString("en")} events`,
i?`${h(m.spanNs)} from ${i.slice(0,10)} ${M(i)} UTC`:"no event yet"];o&&a.push("made by the earlier agent"),document.getElementById("recording").replaceChildren(
t("span",{},a.join(" \xB7 ")),...n?[" ",t("button",{id:"follow","aria-pressed":String(O),onclick:()=>{O=!O,H()}},O?"Live: following":"Live: paused")]:[]),document.
getElementById("views").replaceChildren(..._.map((r,k)=>t("a",{href:$({view:r.name}),"aria-current":r.name===u.view?"page":void 0,"aria-keyshortcuts":String(k+1)},
r.title)));let c=document.getElementById("part");if(!u.from&&!u.to){c.replaceChildren("Whole recording");return}let l=(r,k)=>r?Number((A(r)??m.origin)-m.origin):
k,[d,f]=[l(u.from,0),l(u.to,m.spanNs)];c.replaceChildren(`Part: ${h(Math.max(0,f-d))}, from ${h(d)} on `,t("button",{id:"whole",onclick:()=>B({from:null,to:null,
chosen:u.chosen})},"Whole recording"))}async function ce(e=!1){let n=_.find(f=>f.name===u.view)??_[0],o=new AbortController,i=E;i?.abort.abort();let s={view:n,abort:o};
E=s,H(),e||w.setAttribute("aria-busy","true");let a=t("div",{class:`view ${n.name}`});try{if(s.close=await n.draw(a,{...m,signal:o.signal}),E!==s){s.close?.();return}
F.hidden=!0}catch(f){if(E!==s||f.name==="AbortError")return;if(f instanceof x&&f.status===401)return Z(f.message);a.replaceChildren(),Y(f)}i?.close?.();let c="a\
,button,input,select,[tabindex]",l=[...w.querySelectorAll(c)].indexOf(document.activeElement),d=[scrollX,scrollY];w.replaceChildren(a),w.removeAttribute("aria-b\
usy"),n.shown?.(a),e&&(l>=0&&w.querySelectorAll(c)[l]?.focus({preventScroll:!0}),scrollTo(...d))}function Y(e){F.textContent=e instanceof x?e.message:`This page\
 failed: ${e.message}`,F.hidden=!1,e instanceof x||console.error(e)}async function ue(){let e=!m.info||m.info.live&&O&&!document.hidden;try{if(e){let n=!m.info;
await ve(),F.hidden=!0,E?.view.refresh&&!n?(H(),await E.view.refresh(m)):await ce(!0)}}catch(n){if(n.status===401)return Z(n.message);Y(n)}setTimeout(ue,ye)}async function Z(e){
try{e?await q(w,e):await J(w)}catch(n){Y(n)}ue()}addEventListener("keydown",e=>re(e,_,E?.view));document.getElementById("skip").addEventListener("click",e=>{e.preventDefault(),
w.focus()});ee(()=>m.info&&ce().then(()=>{document.activeElement===document.body&&w.focus({preventScroll:!0})}));te();oe(_);Z();export{_ as VIEWS};
