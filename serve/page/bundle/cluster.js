// Made by serve/page/build.mjs from serve/page/source/: change those.
function c(e,t={},...n){let s=document.createElement(e);for(let[o,i]of Object.entries(t))i==null||i===!1||(o.startsWith("on")?s.addEventListener(o.slice(2),i):s.
setAttribute(o,i===!0?"":String(i)));for(let o of n.flat(2))o==null||o===!1||s.append(o instanceof Node?o:document.createTextNode(String(o)));return s}var ot="\u2013",
it=e=>e!=null;function ne(e){let t=Math.abs(e);return t>=100?e.toFixed(0):t>=10?e.toFixed(1):e.toFixed(2)}var se=[["s",1e9],["ms",1e6],["\xB5s",1e3]];function rt(e){
if(!it(e))return ot;let t=Math.abs(e);if(t===0)return"0";if(t>=36e11)return`${(e/36e11).toFixed(1)} h`;if(t>=12e10)return`${(e/6e10).toFixed(1)} min`;for(let[n,
s]of se)if(t>=s)return`${ne(e/s)} ${n}`;return`${Math.round(e)} ns`}function _(e){return it(e)?Number(e).toLocaleString("en"):ot}function gt(e){return it(e)&&Number.isFinite(e)?`${(100*e).toFixed(e<.1?1:0)} %`:ot}function xt(e){let t=e/1000000000n;return`${new Date(Number(t)*1e3).toISOString().slice(0,19)}.${String(e-t*1000000000n).padStart(9,"0")}Z`}var j="ingero-token",O=class extends Error{constructor(t,n,s){super(s),this.status=t,this.word=n}},oe=/"(?:[^"\\]|\\.)*"|(?<![\d.])-?\d{16,}(?![\d.eE])/g,ie=e=>JSON.
parse(e.replace(oe,t=>t[0]==='"'||Number.isSafeInteger(Number(t))?t:`"${t}"`));async function bt(e,t,n,s){let o=sessionStorage.getItem(j),i=o?{Authorization:`Be\
arer ${o}`}:{};n!==void 0&&(i["Content-Type"]="application/json");let a;try{a=await fetch(t,{method:e,headers:i,body:n,signal:s,credentials:"omit",cache:"no-sto\
re"})}catch(l){throw l.name==="AbortError"?l:new O(0,"gone","the server does not answer")}let r;try{r=ie(await a.text())}catch(l){if(l.name==="AbortError")throw l;
if(a.ok)throw new O(a.status,"internal",`the server's answer cannot be read: ${l.message}`);r={error:`status ${a.status}`,class:"internal"}}if(!a.ok)throw new O(
a.status,r.class,r.error);return r}var re={get_trace_stats:"the figures of all calls",get_time_spent:"where the time went",get_causal_chains:"the causes",get_calls_in_flight:"\
calls that have not returned",get_distributions:"distributions",get_timeline:"the timeline",get_stacks:"stacks",get_memory:"memory by call site",find_outlier_nodes:"\
the clusters",run_analysis:"who is late, and why",effects:"ranks by time",get_collectives:"collectives",get_inference:"steps of inference",get_fabric:"counters \
of the fabric",get_devices:"readings of devices"},at=new Set,ct=[],ae=()=>{},kt=e=>ct.push(e),_t=()=>[...new Set([...at].map(e=>e.about))];async function I(e,t={},n=void 0){let s={about:re[e]??"rows"};at.add(s);for(let o of ct)o();try{let o=await bt("POST",`/api/v1/tools/${e}`,JSON.stringify(t),n);
return n?.throwIfAborted(),o.recording&&ae(o.recording),o}finally{at.delete(s);for(let o of ct)o()}}var Mt=e=>bt("GET",e);async function yt(){let{asks_token:e}=await Mt("/page.json");return e&&!sessionStorage.getItem(j)}function Nt(e,t,n="the recording"){return sessionStorage.removeItem(
j),new Promise(s=>{let o=c("input",{id:"token",type:"password",autocomplete:"off",spellcheck:"false",required:!0}),i=c("p",{role:"alert"},t),a=c("form",{class:"\
card login"},c("h2",{},"Token"),c("p",{},`The server was started with a token, and shows ${n} to those who have it. It is kept in this tab only.`),c("label",{for:"\
token"},"Bearer token"),o,c("button",{type:"submit"},"Open"),i);a.addEventListener("submit",async r=>{r.preventDefault(),sessionStorage.setItem(j,o.value);try{await Mt(
"/api/v1/health"),s()}catch(l){sessionStorage.removeItem(j),i.textContent=l.status===401?"That is not the token.":l.message,o.select()}}),e.replaceChildren(a),o.
focus()})}var vt=new Map,ce=(e,t)=>`${e} ${t}${e===1?"":"s"}`;function le(e,t,n){let s=c("div",{class:"table",role:"group","aria-label":e},t,n),o=c("button",{class:"hint",
hidden:!0},"More columns"),i=[...t.querySelectorAll("thead th")],a=()=>{let h=s.clientWidth;if(!h)return;let d=s.scrollWidth>h+1,u=d?i.filter(w=>w.offsetLeft+w.
offsetWidth>s.scrollLeft+h+1):[],m=u.length;s.classList.toggle("is-wide",d),r.classList.toggle("is-cut",m>0),d?s.tabIndex=0:s.removeAttribute("tabindex"),o.hidden=
!d,o.textContent=m?`${ce(m,"more column")} \u2192`:"\u2190 to the first column",o.onclick=()=>{let w=m?u[0].offsetLeft-i[0].offsetWidth:0;s.scrollLeft=m&&w<=s.scrollLeft?
s.scrollLeft+h/2:w}},r=c("div",{class:"frame"},o,s);s.addEventListener("scroll",a,{passive:!0});let l=new ResizeObserver(a);return l.observe(s),l.observe(t),r}function T({
caption:e,columns:t,rows:n,sorted:s=null,choose:o=null,key:i=null,chosen:a=null,most:r=200}){let l=vt.get(e)??{by:s,down:!0};vt.set(e,l);let h=c("tbody"),d=c("p",
{class:"quiet"});function u(){let g=t[l.by],x=n;g?.sort&&(x=[...n].sort((p,b)=>{let[N,k]=[g.sort(p),g.sort(b)],U=N===k?0:N==null?-1:k==null?1:N<k?-1:1;return l.
down?-U:U})),h.replaceChildren(...x.slice(0,r).map(p=>{let b=c("tr",{"aria-selected":i&&a!==null?String(i(p))===String(a):void 0});return t.forEach((N,k)=>{let U=N.
node?N.node(p):N.text(p);b.append(c(k===0?"th":"td",{scope:k===0?"row":void 0,class:N.number?"number":void 0},k===0&&o?c("button",{class:"plain",onclick:()=>o(p)},
U):U))}),b})),d.textContent=n.length>r?`${r} of ${n.length} rows are shown.`:"",m.forEach((p,b)=>p.setAttribute("aria-sort",b!==l.by?"none":l.down?"descending":
"ascending"))}let m=t.map((g,x)=>c("th",{scope:"col",class:g.number?"number":void 0,title:g.title},g.sort?c("button",{class:"plain",onclick:()=>{l.down=l.by===x?
!l.down:!0,l.by=x,u()}},g.head):g.head)),w=c("table",{},c("caption",{},e),c("thead",{},c("tr",{},m)),h);return u(),le(e,w,d)}var $=(e,...t)=>c("section",{class:"card"},c("h2",{},e),...t),P=e=>c("p",{class:"quiet"},e),K=e=>e?.cut?.length?c("ul",{class:"cut"},e.cut.map(t=>c("li",{},t))):
null;var St=e=>xt(BigInt(e)),y=e=>St(e).slice(11,19),q=e=>`${St(e).slice(0,19)}Z`;var $t=8;function Tt({sentences:e,cut:t}){let[n,...s]=e;return $("The cause",c("article",{class:"chain"},c("h3",{id:"result"},n),s.length?c("ul",{"aria-label":"\
The state of the cluster"},s.map(o=>c("li",{},o))):null),K({cut:t}))}var he=e=>e.rank===null?e.node_id:`rank ${e.rank}`,z=e=>rt(Math.round(1e9*e));function de({
delayed:e,delayed_count:t}){let n=e.slice(0,$t).join(", ");return t?`${_(t)}: ${n}${t>Math.min(e.length,$t)?", \u2026":""}`:"0"}function ue({kind:e,evidence:t}){
return e!=="straggler"?"its health score":`of each step ${z(t.cpu_wait_s_per_step)} more waiting for a CPU, ${z(t.storage_wait_s_per_step)} for storage, ${z(t.asleep_s_per_step)}\
 asleep`}var fe=(e,t,n)=>c("button",{class:"plain",onclick:()=>t(e.node_id,n)},e.node_id);function Ct({outliers:e,jobs:t},n){let s=t.some(o=>o.ranks>0);return e.
length?$("Late ranks",T({caption:"Late ranks",rows:e,most:12,choose:o=>n(o.node_id,o.since_ns),columns:[{head:"Rank",text:he,sort:o=>o.rank},{head:"Node",text:o=>`${o.
node_id}${o.scope==="node"&&o.rank!==null?" (most of its ranks)":""}`,sort:o=>o.node_id},{head:"State",text:o=>o.state,sort:o=>o.state},{head:"Class",text:o=>o.
class,sort:o=>o.class},{head:"Later",number:!0,title:"Than the median of its peers, of each step",text:o=>gt(o.effect),sort:o=>o.effect},{head:"Each step",number:!0,
text:o=>z(o.lateness_s_per_step),sort:o=>o.lateness_s_per_step},{head:"Score",number:!0,title:"3.5: suspect, 7: named, 14 at most",text:o=>o.score.toFixed(1),sort:o=>o.
score},{head:"Since (UTC)",number:!0,text:o=>y(o.since_ns),sort:o=>String(o.since_ns)},{head:"Confidence",number:!0,text:o=>o.confidence===null?"\u2013":o.confidence.
toFixed(2),sort:o=>o.confidence},{head:"Ranks that wait for it",text:de,sort:o=>o.delayed_count},{head:"Evidence",text:ue}]})):$("Late ranks",P(s?"No rank is la\
te, and none is suspected.":"Nothing has been compared yet."))}function me(e,t){let{evidence:n}=e;return c("article",{class:"chain"},c("h3",{},`${n.sentence[0].
toUpperCase()}${n.sentence.slice(1)}.`),c("p",{class:"quiet"},`${e.kind.replaceAll("_"," ")} \xB7 since ${q(e.from_ns)} \xB7 ${_(n.waiting_ranks)} wait, ${_(n.held_up_ranks)}\
 of them held up in other communicators \xB7 confidence ${e.confidence.toFixed(2)}`),n.ranks.length?T({caption:"Ranks that are waited for",rows:n.ranks.map(s=>({
...s,number:n.number})),columns:[{head:"Rank",text:s=>`rank ${s.rank}`,sort:s=>s.rank},{head:"Node",node:s=>fe(s,t,e.from_ns),sort:s=>s.node_id},{head:"Last ent\
ered",number:!0,text:s=>_(s.entered),sort:s=>s.entered},{head:"Last left",number:!0,text:s=>_(s.left),sort:s=>s.left},{head:"Others are in",number:!0,text:s=>_(
s.number)},{head:"Its last operation",text:s=>s.op_type??"\u2013"},{head:"Last heard (UTC)",number:!0,text:s=>y(s.last_ns),sort:s=>String(s.last_ns)}]}):null,n.
rank_count>n.ranks.length?P(`${_(n.ranks.length)} of ${_(n.rank_count)} ranks are listed.`):null)}function At({hangs:e},t){return e.length?$("Hangs",e.map(n=>me(
n,t)),P("Nodes do not send processes and stacks. Choose a node to see the command that shows where its ranks are.")):null}var Ot=e=>(e/1e6).toFixed(2);function It({
clocks:e,unknown_nodes:t}){if(!e.length)return null;let n=[...e].sort((s,o)=>Math.abs(o.offset_ns)-Math.abs(s.offset_ns));return $("Clocks",T({caption:"Clocks o\
f nodes, against this server's",rows:n,most:8,columns:[{head:"Node",text:s=>s.node_id,sort:s=>s.node_id},{head:"Ahead (ms)",number:!0,title:"Negative: behind",text:s=>Ot(
s.offset_ns),sort:s=>s.offset_ns},{head:"Known within (ms)",number:!0,text:s=>Ot(s.within_ns),sort:s=>s.within_ns}]}),t?P(`Of ${_(t)} more it is not known.`):null)}
function Et({incidents:e}){return e.length?$("What was",T({caption:"Incidents that have ended",rows:e,most:50,columns:[{head:"What",text:t=>t.evidence.sentence??
t.kind},{head:"Class",text:t=>t.class,sort:t=>t.class},{head:"Persistence",text:t=>t.persistence??"\u2013",sort:t=>t.persistence??""},{head:"State",text:t=>t.state,
title:"silent: nothing comes of it any more, so that its end is not known",sort:t=>t.state},{head:"From (UTC)",number:!0,text:t=>y(t.from_ns),sort:t=>String(t.from_ns)},
{head:"To (UTC)",number:!0,text:t=>y(t.to_ns),sort:t=>String(t.to_ns)}]})):null}var H=class{constructor({choose:t,follow:n}){this.list=c("select",{id:"clusters",onchange:()=>t(this.list.value)}),this.label=c("label",{for:"clusters",hidden:!0},
"Cluster ",this.list),this.text=c("span"),this.button=c("button",{id:"follow",onclick:n}),document.getElementById("cluster").append(this.label),document.getElementById(
"part").append(this.text," ",this.button),this.names=""}draw({follows:t,cluster:n,jobs:s}){if(this.button.textContent=t?"Live: following":"Live: paused",this.button.
setAttribute("aria-pressed",String(t)),!s)return;let o=[...new Set([...s.map(l=>l.cluster_id),...n===null?[]:[n]])].sort();this.names!==o.join(`
`)&&(this.names=o.join(`
`),this.list.replaceChildren(...o.map(l=>c("option",{value:l},l)))),this.label.hidden=o.length===0,n!==null&&(this.list.value=n);let i=s.filter(l=>l.cluster_id===
n),a=i.reduce((l,h)=>l+h.ranks,0),r=i.map(l=>BigInt(l.last_window_end_ns)).reduce((l,h)=>h>l?h:l,0n);this.text.textContent=i.length?`${_(a)} ranks are compared,\
 to ${y(r)} UTC`:"",document.title=[n,"ingero fleet"].filter(Boolean).join(" \u2013 ")}};var C=null;function Wt(){C=null}function v(e){return C||(C=new Map,C.style=getComputedStyle(document.documentElement)),C.has(e)||C.set(e,C.style.getPropertyValue(
`--${e}`).trim()||"#888"),C.get(e)}var Lt=e=>Int16Array.from(e,t=>t??-32768),we=new Intl.Collator("en",{numeric:!0}),Rt=(e,t)=>we.compare(e.name,t.name),lt=e=>e.latest.reduce((t,n)=>Math.max(t,n),
-32768),Y=class{constructor(){this.rows=new Map,this.from=0n,this.windowNs=0n,this.columns=0}get end(){return this.from+this.windowNs*BigInt(this.columns)}begin(t){
return this.from+this.windowNs*BigInt(t)}column(t){let n=this.windowNs>0n?Number((t-this.from)/this.windowNs):-1;return t>=this.from&&n<this.columns?n:-1}take({
from_ns:t,window_s:n,window_count:s},o){if(!s)return;let i=BigInt(n)*1000000000n,a=BigInt(t);(i!==this.windowNs||a>this.end)&&Object.assign(this,{rows:new Map,windowNs:i,
from:a,columns:0});let r=a+i*BigInt(s),l=this.columns&&this.from<a?this.from:a,h=Math.min(60,Number((r-l)/i));l=r-i*BigInt(h);let d=(u,m)=>{let w=new Int16Array(
h).fill(-32768),g=Number((m-l)/i);for(let x=Math.max(0,-g);x<u.length&&x+g<h;x++)w[x+g]=u[x];return w};for(let u of this.rows.values())u.values=d(u.values,this.
from),u.latest.fill(-32768);for(let{name:u,ranks:m,latest:w,values:g}of o){let x=d(Lt(g),a),p=this.rows.get(u)?.values;if(p)for(let b=0;b<h;b++)x[b]===-32768&&(x[b]=
p[b]);this.rows.set(u,{name:u,ranks:m,latest:Lt(w),values:x})}for(let[u,m]of this.rows)m.values.every(w=>w===-32768)&&!o.some(w=>w.name===u)&&this.rows.delete(u);
Object.assign(this,{from:l,columns:h})}};var L=[2,5,10,20,30,50],pe=e=>{let t=0;for(;t<L.length&&e>L[t];)t++;return t},G=20,Bt=22,Ut=12,Z=7;function J(e,t,n,s){let o=e<500?84:128,i=s?Math.max(4,Math.min(
20,Math.floor((e-o)*.3/s))):0,a=i*s,r=Math.max(20,e-o-2-(s?a+Ut:0));return{left:o,top:G,height:t-G-Bt,bottom:t-Bt,time:{x:o,width:r,each:r/Math.max(1,n)},ranks:{
x:o+r+Ut,width:a,each:i}}}function ge(){let e=t=>{let n=parseInt(v(t).slice(1),16);return(4278190080|(n&255)<<16|n&65280|n>>16)>>>0};return Uint32Array.from({length:L.
length+1},(t,n)=>e(`heat-${n}`))}var E=document.createElement("canvas");function xe(e,t,{top:n,shown:s},o,i,a,r,l){let h=new ImageData(i,o),d=new Uint32Array(h.
data.buffer),u=new Int16Array(i);for(let w=0;w<o;w++){let g=Math.floor(n+w*s/o),x=Math.min(t.length,Math.max(g+1,Math.floor(n+(w+1)*s/o)));u.fill(-32768);for(let p=g;p<
x;p++){let b=a(t[p]),N=Math.min(i,b.length);for(let k=0;k<N;k++)b[k]>u[k]&&(u[k]=b[k])}for(let p=0;p<i;p++)u[p]!==-32768&&(d[w*i+p]=l[pe(u[p])])}(E.width<i||E.height<
o)&&Object.assign(E,{width:Math.max(E.width,i),height:Math.max(E.height,o)});let m=E.getContext("2d");m.clearRect(0,0,i,o),m.putImageData(h,0,0),e.imageSmoothingEnabled=
!1,e.drawImage(E,0,0,i,o,r.x,r.y,r.width,r.height)}function be(e,t){e.save(),e.beginPath(),e.rect(t.x,t.y,t.width,t.height),e.clip(),e.fillStyle=v("heat-none"),
e.fill(),e.strokeStyle=v("heat-hatch"),e.lineWidth=1,e.beginPath();for(let n=t.x-t.height;n<t.x+t.width;n+=7)e.moveTo(n,t.y+t.height),e.lineTo(n+t.height,t.y);e.
stroke(),e.restore()}function ke(e,t,{shown:n},s,o){if(e.fillStyle=v("card"),o>=6)for(let i=1;i<n;i++)e.fillRect(s.x,Math.round(t.top+i*o)-1,s.width,1);if(s.each>=
6)for(let i=s.x+s.each;i<s.x+s.width-1;i+=s.each)e.fillRect(Math.round(i)-1,t.top,1,t.height)}function _e(e,t,n,{top:s,shown:o},i){e.fillStyle=v("quiet"),e.textBaseline=
"middle",e.textAlign="right";let a=Math.max(1,Math.ceil(15/i));for(let r=Math.ceil(s/a)*a;r<s+o&&r<t.length;r+=a){let l=n.top+(r-s+.5)*i;if(l>n.bottom-4&&i<8)break;
e.fillText(t[r].name,n.left-18,Math.max(n.top+5,l),n.left-20)}e.textAlign="left"}function Me(e,t,n,s,{top:o,shown:i},a){for(let r=Math.floor(o);r<Math.min(t.length,
o+i);r++){let l=n.get(t[r].name);if(!l)continue;let h=s.top+(r-o+.5)*a,d=s.left-13;e.fillStyle=e.strokeStyle=v("critical"),e.beginPath(),l==="hang"?e.rect(d+1,h-
4,8,8):(e.moveTo(d,h-5),e.lineTo(d+10,h),e.lineTo(d,h+5),e.closePath()),l==="suspect"?e.stroke():e.fill()}}function ye(e,t,n,s){e.fillStyle=v("quiet"),e.textBaseline=
"middle",e.fillText(s.time,n.time.x,G/2,n.time.width),n.ranks.width&&e.fillText(s.ranks,n.ranks.x,G/2,n.ranks.width+2);let o=Math.max(1,Math.ceil(74/n.time.each)),
i=t.columns-1;for(let a=i%o;a<=i;a+=o){let r=n.time.x+a*n.time.each;e.fillRect(Math.round(r),n.bottom,1,5),r+52<=n.time.x+n.time.width+4&&e.fillText(y(t.begin(a)),
r+3,n.bottom+12)}}function ht(e,{top:t,shown:n},s,o,i){let a=e.height/n,r=o<i?e.time:e.ranks;return{x:r.x+(o<i?o:o-i)*r.each,y:e.top+(s-t)*a,width:r.each,height:a}}
function Ne(e,t,n){let s=Math.max(Z,t.width),o=Math.max(Z,t.height),[i,a]=[t.x+t.width/2-s/2,t.y+t.height/2-o/2];a+o<n.top-Z||a>n.bottom+Z||(e.lineWidth=4,e.strokeStyle=
v("card"),e.strokeRect(i-1,a-1,s+2,o+2),e.lineWidth=2,e.strokeStyle=v("focus"),e.strokeRect(i-1,a-1,s+2,o+2))}function jt(e,t){let{data:n,rows:s,ranks:o,width:i,
height:a}=t,r=J(i,a,n.columns,o);e.setTransform(t.ratio,0,0,t.ratio,0,0),e.fillStyle=v("card"),e.fillRect(0,0,i,a),e.font="11px system-ui, sans-serif",e.lineWidth=
1;let l=r.height/t.shown,h=ge(),d=Math.max(1,Math.min(Math.ceil(t.shown),Math.round(r.height))),u=[[r.time,n.columns,m=>m.values]];o&&u.push([r.ranks,o,m=>m.latest]);
for(let[m,w,g]of u){let x={x:m.x,y:r.top,width:m.width,height:r.height};be(e,x),w&&s.length&&xe(e,s,t,d,w,g,x,h),ke(e,r,t,m,l)}return _e(e,s,r,t,l),Me(e,s,t.marks,
r,t,l),ye(e,n,r,t.titles),t.chosen&&Ne(e,ht(r,t,t.chosen.row,t.chosen.column,n.columns),r),r}var M={view:"overview",from:null,to:null,chosen:{}},Pt=[],qt=e=>Pt.push(e);function dt(){let[e,t=""]=location.hash.replace(/^#\/?/,"").split("?"),n=new URLSearchParams(
t);M.view=e||"overview",M.from=n.get("from"),M.to=n.get("to"),n.delete("from"),n.delete("to"),M.chosen=Object.fromEntries(n)}function ve({view:e=M.view,from:t=M.
from,to:n=M.to,chosen:s={}}={}){let o=new URLSearchParams;t&&o.set("from",t),n&&o.set("to",n);for(let[a,r]of Object.entries(s))r!=null&&o.set(a,r);let i=o.toString();
return`#/${e}${i?`?${i}`:""}`}function Ft(e,t=!1){let n=ve(e);if(n!==location.hash){if(!t){location.hash=n;return}history.replaceState(null,"",n),dt()}}function Dt(){dt(),addEventListener("hashchange",()=>{dt();for(let e of Pt)e()})}var R=()=>M.chosen,X=(e,t=!0)=>Ft({view:"cluster",chosen:{...M.chosen,...e}},t);var Se=4096,zt=10000000000n,$e=8,W=(e,t,n)=>Math.min(n,Math.max(t,e)),Ht=e=>e===-32768?"not known: it was not compared":`${Math.abs(e)} % ${e<0?"less":"more"} o\
wn work than its peers' median`,V=e=>e===-32768?"\u2013":`${e} %`;function Oe(){let e=L.map((t,n)=>n===0?`up to ${t} %`:`to ${t} %`);return c("ul",{class:"legen\
d","aria-label":"Colours: how much more own work than the median of its peers"},[...e,`over ${L.at(-1)} %`].map((t,n)=>c("li",{},c("i",{class:`kind tone${n}`}),
t)),c("li",{},c("i",{class:"kind tone-none"}),"not known"),c("li",{},"\u25B6 late (\u25B7 suspected), \u25A0 waited for in a hang"))}var Q=class{constructor(t,n){
Object.assign(this,{cluster:t,signal:n,data:new Y,rows:[],marks:new Map,since:new Map,at:null,top:0,shown:1,known:null,turn:0}),this.canvas=c("canvas",{tabindex:"\
0",role:"application",id:"heat","aria-roledescription":"heat map","aria-describedby":"cell","aria-label":"Ranks by time. Arrow keys choose a cell, Page Up and P\
age Down go a tenth, Home and End to the ends, plus and minus zoom."}),this.canvas.frames=[],this.canvas.boxOf=(o,i)=>this.box(o,i),this.cell=c("p",{id:"cell","\
aria-live":"polite"},"Choose a cell: click it, or use the arrow keys."),this.place=c("div",{class:"tracks"},this.canvas),this.cutList=c("div"),this.table=c("det\
ails",{ontoggle:()=>this.fillTable()},c("summary",{},"The picture as a table")),this.node=c("section",{class:"card",id:"node",hidden:!0});let s=(o,i)=>c("button",
{onclick:i},o);this.element=c("div",{class:"view"},$("Ranks by time",c("div",{class:"bar"},s("Closer",()=>this.zoom(.5)),s("Farther",()=>this.zoom(2)),s("All no\
des",()=>this.zoom(1/0)),s("Next late node",()=>this.nextLate())),this.place,Oe(),this.cell,this.cutList,this.table),this.node),this.observer=new ResizeObserver(
()=>this.schedule()),this.observer.observe(this.place),this.scheme=matchMedia("(prefers-color-scheme: dark)"),this.recolour=()=>{Wt(),this.schedule()},this.scheme.
addEventListener("change",this.recolour),this.canvas.addEventListener("keydown",o=>this.onKey(o)),this.canvas.addEventListener("click",o=>this.onClick(o))}close(){
this.observer.disconnect(),this.scheme.removeEventListener("change",this.recolour),cancelAnimationFrame(this.due)}get ranks(){return Math.min(64,this.rows.reduce(
(t,n)=>Math.max(t,n.ranks.length),0))}async update({jobs:t,outliers:n,hangs:s}){let[o]=[...t].sort((a,r)=>(r.compares==="own work")-(a.compares==="own work")||r.
ranks-a.ranks);this.job=o??null,this.marks=new Map;for(let a of n)this.marks.get(a.node_id)!=="named"&&this.marks.set(a.node_id,a.state);for(let a of s)for(let r of a.
evidence.ranks)this.marks.set(r.node_id,"hang");let i=o?`${o.job_id} ${o.last_window_end_ns}`:null;if(o&&this.known!==i){let a=await I("effects",{cluster_id:o.cluster_id,
job_id:o.job_id??"",windows:60,top_n:Se,...this.data.columns&&{from_ns:Number(this.data.end)}},this.signal);this.data.take(a,a.nodes.map(l=>({name:l.node_id,ranks:l.
ranks,latest:l.latest_percent,values:l.worst_percent}))),this.known=i;let r=this.shown>=this.rows.length;this.rows=[...this.data.rows.values()].sort(Rt),r&&Object.
assign(this,{top:0,shown:Math.max(1,this.rows.length)}),this.cutList.replaceChildren(K(a)??""),this.fillTable(),!this.at&&R().node?this.chooseNode(R().node):this.
at&&await this.showNode()}this.schedule()}schedule(){this.due||(this.due=requestAnimationFrame(()=>{this.due=0,this.draw()}))}draw(){let t=this.place.clientWidth;
if(!t)return;let n=W(this.rows.length*16+42,120,Math.max(300,innerHeight-260)),s=devicePixelRatio||1;(this.canvas.width!==Math.round(t*s)||this.canvas.height!==
Math.round(n*s))&&(Object.assign(this.canvas,{width:Math.round(t*s),height:Math.round(n*s)}),this.canvas.style.height=`${n}px`),Object.assign(this,{width:t,height:n});
let o=performance.now();jt(this.canvas.getContext("2d"),{data:this.data,rows:this.rows,ranks:this.ranks,top:this.top,shown:this.shown,width:t,height:n,ratio:s,marks:this.
marks,chosen:this.where(),titles:{time:"each node's worst rank",ranks:"its ranks now"}}),this.canvas.frames.push(performance.now()-o),this.canvas.frames.length>
1e3&&this.canvas.frames.shift()}where(){let t=this.at?this.rows.findIndex(s=>s.name===this.at.node):-1;if(t<0)return null;let n=this.at.place===void 0?Math.max(
0,this.data.column(this.at.window)):this.data.columns+this.at.place;return{row:t,column:n}}box(t,n){return ht(J(this.width,this.height,this.data.columns,this.ranks),
this,this.rows.findIndex(s=>s.name===t),n,this.data.columns)}choose(t,n){if(!this.rows.length||!this.data.columns)return;let s=this.rows[W(t,0,this.rows.length-
1)],{columns:o}=this.data,i=W(n,0,o+s.ranks.length-1);this.at=i<o?{node:s.name,window:this.data.begin(i)}:{node:s.name,place:i-o},this.fromNs=null;let a=this.rows.
indexOf(s);this.top=W(this.top,Math.min(a,Math.max(0,a-this.shown+1)),Math.min(a,this.rows.length-this.shown)),this.say(s,i)}say(t,n){let{columns:s,windowNs:o}=this.
data,i=this.data.begin(n);this.cell.textContent=n<s?`${t.name}, ${y(i)} to ${y(i+o)} UTC: its worst rank: ${Ht(t.values[n])}.`:`Rank ${t.ranks[n-s]} on ${t.name}\
, in the newest window: ${Ht(t.latest[n-s])}.`,X({node:t.name}),this.schedule(),clearTimeout(this.timer),this.timer=setTimeout(()=>this.showNode(),150)}chooseNode(t,n=null){
let s=this.rows.findIndex(o=>o.name===t);s<0||(this.choose(s,this.data.columns-1),this.fromNs=n)}nextLate(){let t=this.where()?.row??-1;for(let n=1;n<=this.rows.
length;n++){let s=this.rows[(t+n)%this.rows.length];if(this.marks.has(s.name))return this.chooseNode(s.name)}this.cell.textContent="No node is late, and none is\
 waited for."}zoom(t){let n=Math.max(1,this.rows.length),s=this.where()?.row??this.top+this.shown/2;this.shown=Math.round(W(this.shown*t,Math.min($e,n),n)),this.
top=Math.round(W(s-this.shown/2,0,n-this.shown)),this.schedule()}moved(){R().node&&R().node!==this.at?.node&&this.chooseNode(R().node)}onKey(t){if(t.altKey||t.metaKey||
t.ctrlKey)return;let{row:n,column:s}=this.where()??{row:0,column:this.data.columns},o=Math.max(1,Math.round(this.shown/10)),i={ArrowLeft:[n,s-1],ArrowRight:[n,s+
1],ArrowUp:[n-1,s],ArrowDown:[n+1,s],PageUp:[n-o,s],PageDown:[n+o,s],Home:[n,0],End:[n,this.data.columns-1]}[t.key];if(i)this.choose(...i);else if(t.key==="+")this.
zoom(.5);else if(t.key==="-")this.zoom(2);else return;t.preventDefault()}onClick(t){let n=this.canvas.getBoundingClientRect(),s=J(this.width,this.height,this.data.
columns,this.ranks),o=t.clientX-n.left,i=t.clientY-n.top,a=Math.floor(this.top+(i-s.top)*this.shown/s.height);s.ranks.width&&o>=s.ranks.x?this.choose(a,this.data.
columns+Math.floor((o-s.ranks.x)/s.ranks.each)):this.choose(a,W(Math.floor((o-s.time.x)/s.time.each),0,this.data.columns-1))}fillTable(){this.table.open&&(this.
table.lastElementChild.tagName!=="SUMMARY"&&this.table.lastElementChild.remove(),this.table.append(T({caption:"Nodes; choose one",rows:this.rows,sorted:1,choose:t=>this.
chooseNode(t.name),columns:[{head:"Node",text:t=>t.name,sort:t=>t.name},{head:"Worst rank now",number:!0,text:t=>V(lt(t)),sort:lt},{head:"Most in this time",number:!0,
text:t=>V(Math.max(...t.values)),sort:t=>Math.max(...t.values)}]})))}async showNode(){let t=++this.turn,{at:n,job:s}=this;if(!(!n||!s))try{let o=await I("effect\
s",{cluster_id:s.cluster_id,job_id:s.job_id??"",node_id:n.node,windows:60},this.signal);if(t!==this.turn)return;let i=this.fromNs?BigInt(this.fromNs):n.window??
this.data.begin(0),a=this.fromNs||n.window===void 0?this.data.end:n.window+this.data.windowNs,[r,l]=[q(i-zt),q(a+zt)],h=d=>d.effect_percent.filter(u=>u!==null);
this.node.hidden=!1,this.node.replaceChildren(c("h2",{},n.node),T({caption:`Ranks of ${n.node}`,rows:o.ranks,columns:[{head:"Rank",text:d=>`rank ${d.rank}`,sort:d=>d.
rank},{head:"Now",number:!0,text:d=>V(d.effect_percent.at(-1)??-32768),sort:d=>d.effect_percent.at(-1)},{head:"Most in this time",number:!0,text:d=>V(Math.max(-32768,
...h(d))),sort:d=>Math.max(-32768,...h(d))},{head:"Windows compared",number:!0,text:d=>_(h(d).length)}]}),c("p",{},"Nodes do not send where their own dashboard \
is, so there is no link to it. On this node its recording says why:"),c("pre",{class:"commands"},`ingero explain --from ${r} --to ${l}
ingero dashboard    # then #/timeline?from=${r}&to=${l} behind its address`))}catch(o){if(o.name==="AbortError"||t!==this.turn)return;this.node.hidden=!1,this.node.
replaceChildren(c("h2",{},n.node),c("p",{role:"alert"},o.message))}}};var ft=document.getElementById("progress"),Yt=c("span"),Zt=c("span",{"aria-hidden":"true"});ft.replaceChildren(Yt,Zt);var F=null,Gt=0;function ut(){if(F===null)
return;let e=_t();Yt.textContent=`Loading ${e.length?e.join(", "):"the view"}`;let t=Math.floor((performance.now()-F)/1e3);Zt.textContent=t?` \u2026 ${t} s`:" \u2026"}
kt(ut);function Jt(){F===null&&(Gt=setInterval(ut,1e3)),F=performance.now(),ft.hidden=!1,ut()}function tt(){F=null,clearInterval(Gt),ft.hidden=!0}var Te=(e=3)=>c(
"div",{class:"waiting","aria-hidden":"true"},Array.from({length:e},()=>c("i"))),Xt=e=>c("div",{class:"view outline"},c("section",{class:"card"},c("h2",{},e),Te(
6)));var Vt="a,button,input,select,summary,[tabindex]",et=e=>`${e.tagName} ${e.id} ${e.getAttribute("aria-label")??e.textContent}`;function Qt(e,t){let n=document.activeElement,
[s,o]=e.contains(n)?[[...e.querySelectorAll(Vt)].indexOf(n),et(n)]:[-1,""],i=[scrollX,scrollY],a=new Set([...e.querySelectorAll("details[open] > summary")].map(
et));e.replaceWith(t);for(let l of t.querySelectorAll("details > summary"))a.has(et(l))&&(l.parentNode.open=!0);let r=[...t.querySelectorAll(Vt)];s>=0&&(r.find(
l=>et(l)===o)??r[s])?.focus({preventScroll:!0}),scrollTo(...i)}var Ce=2e3,Ae=100,S=document.getElementById("main"),st=document.getElementById("notice"),nt=0,f=null,B=!0,wt=new H({choose:e=>X({cluster:e,job:null,node:null,at:null},
!1),follow:()=>{B=!B,wt.draw({follows:B})}});function te(e){st.textContent=e instanceof O?e.message:`This page failed: ${e.message}`,st.hidden=!1,e instanceof O||
console.error(e)}function Ie(){f?.abort.abort(),f?.heat?.close(),f=null}function mt(){Ie(),st.hidden=!0,S.replaceChildren(Xt("The cause")),S.setAttribute("aria-\
busy","true"),Jt(),f={cluster:null,cards:new Map,heat:null,abort:new AbortController}}function D(e,t,n){let s=JSON.stringify(t),o=f.cards.get(e);if(o?.text===s)
return;let i=n(t)??c("div",{hidden:!0});i.id=e,f.cards.set(e,{text:s,made:i}),o?Qt(o.made,i):f.view.append(i)}function Ee(e,t,n){let{sentences:s,outliers:o,hangs:i,
incidents:a,jobs:r,cut:l}=e;f.view||(f.view=c("div",{class:"view cluster-view"}),S.replaceChildren(f.view)),D("cause",{sentences:s,cut:l},Tt),D("hangs",{hangs:i},
h=>At(h,n)),D("late",{outliers:o,jobs:r},h=>Ct(h,n)),f.heat||(f.heat=new Q(f.cluster,f.abort.signal),f.view.append(f.heat.element)),D("clocks",t,It),D("incident\
s",{incidents:a.filter(h=>h.state!=="open")},Et)}function We({jobs:e,outliers:t}){let n=M.chosen.cluster;return n!==void 0?n:t[0]?.cluster_id??[...e].sort((s,o)=>o.
ranks-s.ranks)[0]?.cluster_id??null}async function Le(){let{signal:e}=f.abort,t=await I("find_outlier_nodes",{top_n:1},e),n=We(t);f.cluster=n,wt.draw({follows:B,
cluster:n,jobs:t.jobs});let s=await I("run_analysis",{...n!==null&&{cluster_id:n},top_n:Ae},e),{clocks:o,unknown_nodes:i}=await I("clocks",n===null?{}:{cluster_id:n},
e);Ee(s,{clocks:o.map(({age_s:a,...r})=>r),unknown_nodes:i},(a,r)=>f.heat.chooseNode(a,r)),await f.heat.update(s),S.removeAttribute("aria-busy"),tt(),st.hidden=
!0}var Re=()=>S.querySelector(":active, input:focus, select:focus")!==null;async function pt(){let e=++nt;try{(f.view===void 0||B&&!document.hidden&&!Re())&&await Le()}catch(t){
if(e!==nt||t.name==="AbortError")return;if(t.status===401)return ee(t.message);f.view||S.replaceChildren(),S.removeAttribute("aria-busy"),tt(),te(t)}setTimeout(
()=>e===nt&&pt(),Ce)}async function ee(e){++nt,mt();try{(e!==void 0||await yt())&&(S.removeAttribute("aria-busy"),tt(),await Nt(S,e??"","the cluster"),document.
activeElement?.blur(),mt())}catch(t){te(t)}pt()}document.getElementById("skip").addEventListener("click",e=>{e.preventDefault(),S.focus()});qt(()=>{if(!f||(M.chosen.
cluster??f.cluster)===f.cluster){f?.heat?.moved();return}mt(),pt()});Dt();wt.draw({follows:B});ee();
