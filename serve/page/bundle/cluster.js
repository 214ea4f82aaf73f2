// Made by serve/page/build.mjs from serve/page/source/: change those.
function c(t,e={},...n){let s=document.createElement(t);for(let[o,i]of Object.entries(e))i==null||i===!1||(o.startsWith("on")?s.addEventListener(o.slice(2),i):s.
setAttribute(o,i===!0?"":String(i)));for(let o of n.flat(2))o==null||o===!1||s.append(o instanceof Node?o:document.createTextNode(String(o)));return s}var ot="\u2013",
it=t=>t!=null;function ne(t){let e=Math.abs(t);return e>=100?t.toFixed(0):e>=10?t.toFixed(1):t.toFixed(2)}var se=[["s",1e9],["ms",1e6],["\xB5s",1e3]];function rt(t){
if(!it(t))return ot;let e=Math.abs(t);if(e===0)return"0";if(e>=36e11)return`${(t/36e11).toFixed(1)} h`;if(e>=12e10)return`${(t/6e10).toFixed(1)} min`;for(let[n,
s]of se)if(e>=s)return`${ne(t/s)} ${n}`;return`${Math.round(t)} ns`}function _(t){return it(t)?Number(t).toLocaleString("en"):ot}function gt(t){return it(t)&&Number.isFinite(t)?`${(100*t).toFixed(t<.1?1:0)} %`:ot}function xt(t){let e=t/1000000000n;return`${new Date(Number(e)*1e3).toISOString().slice(0,19)}.${String(t-e*1000000000n).padStart(9,"0")}Z`}var j="ingero-token",O=class extends Error{constructor(e,n,s){super(s),this.status=e,this.word=n}},oe=/"(?:[^"\\]|\\.)*"|(?<![\d.])-?\d{16,}(?![\d.eE])/g,ie=t=>JSON.
parse(t.replace(oe,e=>e[0]==='"'||Number.isSafeInteger(Number(e))?e:`"${e}"`));async function bt(t,e,n,s){let o=sessionStorage.getItem(j),i=o?{Authorization:`Be\
arer ${o}`}:{};n!==void 0&&(i["Content-Type"]="application/json");let r;try{r=await fetch(e,{method:t,headers:i,body:n,signal:s,credentials:"omit",cache:"no-sto\
re"})}catch(l){throw l.name==="AbortError"?l:new O(0,"gone","the server does not answer")}let a;try{a=ie(await r.text())}catch(l){if(l.name==="AbortError")throw l;
if(r.ok)throw new O(r.status,"internal",`the server's answer cannot be read: ${l.message}`);a={error:`status ${r.status}`,class:"internal"}}if(!r.ok)throw new O(
r.status,a.class,a.error);return a}var re={get_trace_stats:"the figures of all calls",get_time_spent:"where the time went",get_causal_chains:"the causes",get_calls_in_flight:"\
calls that have not returned",get_distributions:"distributions",get_timeline:"the timeline",get_stacks:"stacks",get_memory:"memory by call site",find_outlier_nodes:"\
the clusters",run_analysis:"who is late, and why",effects:"ranks by time",get_collectives:"collectives",get_inference:"steps of inference",get_fabric:"counters \
of the fabric",get_devices:"readings of devices"},at=new Set,ct=[],ae=()=>{},kt=t=>ct.push(t),_t=()=>[...new Set([...at].map(t=>t.about))];async function I(t,e={},n=void 0){let s={about:re[t]??"rows"};at.add(s);for(let o of ct)o();try{let o=await bt("POST",`/api/v1/tools/${t}`,JSON.stringify(e),n);
return n?.throwIfAborted(),o.recording&&ae(o.recording),o}finally{at.delete(s);for(let o of ct)o()}}var K=t=>bt("GET",t);async function Mt(){let{asks_token:t}=await K("/page.json");return t&&!sessionStorage.getItem(j)}function yt(t,e,n="the recording"){return sessionStorage.removeItem(
j),new Promise(s=>{let o=c("input",{id:"token",type:"password",autocomplete:"off",spellcheck:"false",required:!0}),i=c("p",{role:"alert"},e),r=c("form",{class:"\
card login"},c("h2",{},"Token"),c("p",{},`The server was started with a token, and shows ${n} to those who have it. It is kept in this tab only.`),c("label",{for:"\
token"},"Bearer token"),o,c("button",{type:"submit"},"Open"),i);r.addEventListener("submit",async a=>{a.preventDefault(),sessionStorage.setItem(j,o.value);try{await K(
"/api/v1/health"),s()}catch(l){sessionStorage.removeItem(j),i.textContent=l.status===401?"That is not the token.":l.message,o.select()}}),t.replaceChildren(r),o.
focus()})}var vt=new Map,ce=(t,e)=>`${t} ${e}${t===1?"":"s"}`;function le(t,e,n){let s=c("div",{class:"table",role:"group","aria-label":t},e,n),o=c("button",{class:"hint",
hidden:!0},"More columns"),i=[...e.querySelectorAll("thead th")],r=()=>{let h=s.clientWidth;if(!h)return;let d=s.scrollWidth>h+1,u=d?i.filter(w=>w.offsetLeft+w.
offsetWidth>s.scrollLeft+h+1):[],m=u.length;s.classList.toggle("is-wide",d),a.classList.toggle("is-cut",m>0),d?s.tabIndex=0:s.removeAttribute("tabindex"),o.hidden=
!d,o.textContent=m?`${ce(m,"more column")} \u2192`:"\u2190 to the first column",o.onclick=()=>{let w=m?u[0].offsetLeft-i[0].offsetWidth:0;s.scrollLeft=m&&w<=s.scrollLeft?
s.scrollLeft+h/2:w}},a=c("div",{class:"frame"},o,s);s.addEventListener("scroll",r,{passive:!0});let l=new ResizeObserver(r);return l.observe(s),l.observe(e),a}function T({
caption:t,columns:e,rows:n,sorted:s=null,choose:o=null,key:i=null,chosen:r=null,most:a=200}){let l=vt.get(t)??{by:s,down:!0};vt.set(t,l);let h=c("tbody"),d=c("p",
{class:"quiet"});function u(){let g=e[l.by],x=n;g?.sort&&(x=[...n].sort((p,b)=>{let[v,k]=[g.sort(p),g.sort(b)],B=v===k?0:v==null?-1:k==null?1:v<k?-1:1;return l.
down?-B:B})),h.replaceChildren(...x.slice(0,a).map(p=>{let b=c("tr",{"aria-selected":i&&r!==null?String(i(p))===String(r):void 0});return e.forEach((v,k)=>{let B=v.
node?v.node(p):v.text(p);b.append(c(k===0?"th":"td",{scope:k===0?"row":void 0,class:v.number?"number":void 0},k===0&&o?c("button",{class:"plain",onclick:()=>o(p)},
B):B))}),b})),d.textContent=n.length>a?`${a} of ${n.length} rows are shown.`:"",m.forEach((p,b)=>p.setAttribute("aria-sort",b!==l.by?"none":l.down?"descending":
"ascending"))}let m=e.map((g,x)=>c("th",{scope:"col",class:g.number?"number":void 0,title:g.title},g.sort?c("button",{class:"plain",onclick:()=>{l.down=l.by===x?
!l.down:!0,l.by=x,u()}},g.head):g.head)),w=c("table",{},c("caption",{},t),c("thead",{},c("tr",{},m)),h);return u(),le(t,w,d)}var S=(t,...e)=>c("section",{class:"card"},c("h2",{},t),...e),P=t=>c("p",{class:"quiet"},t),z=t=>t?.cut?.length?c("ul",{class:"cut"},t.cut.map(e=>c("li",{},e))):
null;var Nt=t=>xt(BigInt(t)),y=t=>Nt(t).slice(11,19),q=t=>`${Nt(t).slice(0,19)}Z`;var $t=8;function Ot({sentences:t,cut:e}){let[n,...s]=t;return S("The cause",c("article",{class:"chain"},c("h3",{id:"result"},n),s.length?c("ul",{"aria-label":"\
The state of the cluster"},s.map(o=>c("li",{},o))):null),z({cut:e}))}function he({rank:t,node_id:e,kind:n,evidence:s}){return n==="slow_node"?`${s.rank_count} o\
f ${s.node_ranks} ranks`:t===null?e:`rank ${t}`}var Tt=t=>t===null?"\u2013":rt(Math.round(1e9*t));function de({delayed:t,delayed_count:e}){return t.length?`${_(
e)}: ${t.slice(0,$t).join(", ")}${e>Math.min(t.length,$t)?", \u2026":""}`:_(e)}function ue({kind:t,evidence:e}){if(t==="low_health_score")return"its health scor\
e";if(t==="slow_job")return"all of its ranks alike";let n=[["cpu_wait_s_per_step","waiting for a CPU"],["storage_wait_s_per_step","for storage"],["asleep_s_per_\
step","asleep"]].filter(([s])=>e[s]>0).map(([s,o])=>`${Tt(e[s])} ${o}`);return n.length?`of each step more: ${n.join(", ")}`:"no more waits than its peers"}var fe=(t,e,n)=>c(
"button",{class:"plain",onclick:()=>e(t.node_id,n)},t.node_id);function Ct({outliers:t,jobs:e},n){let s=e.some(o=>o.ranks>0);return t.length?S("Late ranks",T({caption:"\
Late ranks",rows:t,most:12,choose:o=>n(o.node_id,o.since_ns),columns:[{head:"Rank",text:he,sort:o=>o.rank},{head:"Node",text:o=>o.node_id,sort:o=>o.node_id},{head:"\
State",text:o=>o.state,sort:o=>o.state},{head:"Class",text:o=>o.class,sort:o=>o.class},{head:"Later",number:!0,title:"Than the median of its peers, of each step",
text:o=>gt(o.effect),sort:o=>o.effect},{head:"Each step",number:!0,text:o=>Tt(o.lateness_s_per_step),sort:o=>o.lateness_s_per_step},{head:"Score",number:!0,title:"\
3.5: suspect, 7: named, 14 at most",text:o=>o.score.toFixed(1),sort:o=>o.score},{head:"Since (UTC)",number:!0,text:o=>y(o.since_ns),sort:o=>String(o.since_ns)},
{head:"Confidence",number:!0,text:o=>o.confidence===null?"\u2013":o.confidence.toFixed(2),sort:o=>o.confidence},{head:"Ranks that wait for it",text:de,sort:o=>o.
delayed_count},{head:"Evidence",text:ue}]})):S("Late ranks",P(s?"No rank is late, and none is suspected.":"Nothing has been compared yet."))}var me={in_call:"in",
asleep:"asleep, after",running:"computes, after",after_call:"after"};function we(t){return t.activity?`${me[t.activity]??t.activity} ${t.last_call??"a GPU call"}${t.
line?`, in ${t.line}`:""}`:"\u2013"}function pe(t,e){let{evidence:n}=t;return c("article",{class:"chain"},c("h3",{},`${n.sentence[0].toUpperCase()}${n.sentence.
slice(1)}.`),c("p",{class:"quiet"},`${t.kind.replaceAll("_"," ")} \xB7 since ${q(t.from_ns)} \xB7 ${_(n.waiting_ranks)} wait, ${_(n.held_up_ranks)} of them held\
 up in other communicators \xB7 confidence ${t.confidence.toFixed(2)}`),n.ranks.length?T({caption:"Ranks that are waited for",rows:n.ranks.map(s=>({...s,number:n.
number})),columns:[{head:"Rank",text:s=>`rank ${s.rank}`,sort:s=>s.rank},{head:"Node",node:s=>fe(s,e,t.from_ns),sort:s=>s.node_id},{head:"Process",number:!0,text:s=>s.
pid??"\u2013"},{head:"Device",text:s=>s.hw_id??"\u2013"},{head:"Doing",text:s=>we(s)},{head:"Last entered",number:!0,text:s=>_(s.entered),sort:s=>s.entered},{head:"\
Last left",number:!0,text:s=>_(s.left),sort:s=>s.left},{head:"Others are in",number:!0,text:s=>_(s.number)},{head:"Its last operation",text:s=>s.op_type??"\u2013"},
{head:"Last heard (UTC)",number:!0,text:s=>y(s.last_ns),sort:s=>String(s.last_ns)}]}):null,n.ranks.filter(s=>s.stack).map(s=>c("details",{},c("summary",{},`Stac\
k of rank ${s.rank}`),c("pre",{},s.stack.join(`
`)))),n.rank_count>n.ranks.length?P(`${_(n.ranks.length)} of ${_(n.rank_count)} ranks are listed.`):null)}function At({hangs:t},e){return t.length?S("Hangs",t.map(
n=>pe(n,e)),t.some(({evidence:n})=>n.ranks.some(s=>!s.stack))?P("Choose a node to see the command that shows where its ranks are."):null):null}var St=t=>(t/1e6).
toFixed(2);function It({clocks:t,unknown_nodes:e}){if(!t.length)return null;let n=[...t].sort((s,o)=>Math.abs(o.offset_ns)-Math.abs(s.offset_ns));return S("Cloc\
ks",T({caption:"Clocks of nodes, against this server's",rows:n,most:8,columns:[{head:"Node",text:s=>s.node_id,sort:s=>s.node_id},{head:"Ahead (ms)",number:!0,title:"\
Negative: behind",text:s=>St(s.offset_ns),sort:s=>s.offset_ns},{head:"Known within (ms)",number:!0,text:s=>St(s.within_ns),sort:s=>s.within_ns}]}),e?P(`Of ${_(e)}\
 more it is not known.`):null)}function Et({incidents:t}){return t.length?S("What was",T({caption:"Incidents that have ended",rows:t,most:50,columns:[{head:"Wha\
t",text:e=>e.evidence.sentence??e.kind},{head:"Class",text:e=>e.class,sort:e=>e.class},{head:"Persistence",text:e=>e.persistence??"\u2013",sort:e=>e.persistence??
""},{head:"State",text:e=>e.state,title:"silent: nothing comes of it any more, so that its end is not known",sort:e=>e.state},{head:"From (UTC)",number:!0,text:e=>y(
e.from_ns),sort:e=>String(e.from_ns)},{head:"To (UTC)",number:!0,text:e=>y(e.to_ns),sort:e=>String(e.to_ns)}]})):null}var G=class{constructor({choose:e,follow:n}){this.list=c("select",{id:"clusters",onchange:()=>e(this.list.value)}),this.label=c("label",{for:"clusters",hidden:!0},
"Cluster ",this.list),this.text=c("span"),this.button=c("button",{id:"follow",onclick:n}),document.getElementById("cluster").append(this.label),document.getElementById(
"part").append(this.text," ",this.button),this.names=""}draw({follows:e,cluster:n,jobs:s}){if(this.button.textContent=e?"Live: following":"Live: paused",this.button.
setAttribute("aria-pressed",String(e)),!s)return;let o=[...new Set([...s.map(l=>l.cluster_id),...n===null?[]:[n]])].sort();this.names!==o.join(`
`)&&(this.names=o.join(`
`),this.list.replaceChildren(...o.map(l=>c("option",{value:l},l)))),this.label.hidden=o.length===0,n!==null&&(this.list.value=n);let i=s.filter(l=>l.cluster_id===
n),r=i.reduce((l,h)=>l+h.ranks,0),a=i.map(l=>BigInt(l.last_window_end_ns)).reduce((l,h)=>h>l?h:l,0n);this.text.textContent=i.length?`${_(r)} ranks are compared,\
 to ${y(a)} UTC`:"",document.title=[n,"ingero fleet"].filter(Boolean).join(" \u2013 ")}};var C=null;function Wt(){C=null}function N(t){return C||(C=new Map,C.style=getComputedStyle(document.documentElement)),C.has(t)||C.set(t,C.style.getPropertyValue(
`--${t}`).trim()||"#888"),C.get(t)}var Lt=t=>Int16Array.from(t,e=>e??-32768),ge=new Intl.Collator("en",{numeric:!0}),Rt=(t,e)=>ge.compare(t.name,e.name),lt=t=>t.latest.reduce((e,n)=>Math.max(e,n),
-32768),H=class{constructor(){this.rows=new Map,this.from=0n,this.windowNs=0n,this.columns=0}get end(){return this.from+this.windowNs*BigInt(this.columns)}begin(e){
return this.from+this.windowNs*BigInt(e)}column(e){let n=this.windowNs>0n?Number((e-this.from)/this.windowNs):-1;return e>=this.from&&n<this.columns?n:-1}take({
from_ns:e,window_s:n,window_count:s},o){if(!s)return;let i=BigInt(n)*1000000000n,r=BigInt(e);(i!==this.windowNs||r>this.end)&&Object.assign(this,{rows:new Map,windowNs:i,
from:r,columns:0});let a=r+i*BigInt(s),l=this.columns&&this.from<r?this.from:r,h=Math.min(60,Number((a-l)/i));l=a-i*BigInt(h);let d=(u,m)=>{let w=new Int16Array(
h).fill(-32768),g=Number((m-l)/i);for(let x=Math.max(0,-g);x<u.length&&x+g<h;x++)w[x+g]=u[x];return w};for(let u of this.rows.values())u.values=d(u.values,this.
from),u.latest.fill(-32768);for(let{name:u,ranks:m,latest:w,values:g}of o){let x=d(Lt(g),r),p=this.rows.get(u)?.values;if(p)for(let b=0;b<h;b++)x[b]===-32768&&(x[b]=
p[b]);this.rows.set(u,{name:u,ranks:m,latest:Lt(w),values:x})}for(let[u,m]of this.rows)m.values.every(w=>w===-32768)&&!o.some(w=>w.name===u)&&this.rows.delete(u);
Object.assign(this,{from:l,columns:h})}};var L=[2,5,10,20,30,50],xe=t=>{let e=0;for(;e<L.length&&t>L[e];)e++;return e},Z=20,Ut=22,Bt=12,Y=7;function J(t,e,n,s){let o=t<500?84:128,i=s?Math.max(4,Math.min(
20,Math.floor((t-o)*.3/s))):0,r=i*s,a=Math.max(20,t-o-2-(s?r+Bt:0));return{left:o,top:Z,height:e-Z-Ut,bottom:e-Ut,time:{x:o,width:a,each:a/Math.max(1,n)},ranks:{
x:o+a+Bt,width:r,each:i}}}function be(){let t=e=>{let n=parseInt(N(e).slice(1),16);return(4278190080|(n&255)<<16|n&65280|n>>16)>>>0};return Uint32Array.from({length:L.
length+1},(e,n)=>t(`heat-${n}`))}var E=document.createElement("canvas");function ke(t,e,{top:n,shown:s},o,i,r,a,l){let h=new ImageData(i,o),d=new Uint32Array(h.
data.buffer),u=new Int16Array(i);for(let w=0;w<o;w++){let g=Math.floor(n+w*s/o),x=Math.min(e.length,Math.max(g+1,Math.floor(n+(w+1)*s/o)));u.fill(-32768);for(let p=g;p<
x;p++){let b=r(e[p]),v=Math.min(i,b.length);for(let k=0;k<v;k++)b[k]>u[k]&&(u[k]=b[k])}for(let p=0;p<i;p++)u[p]!==-32768&&(d[w*i+p]=l[xe(u[p])])}(E.width<i||E.height<
o)&&Object.assign(E,{width:Math.max(E.width,i),height:Math.max(E.height,o)});let m=E.getContext("2d");m.clearRect(0,0,i,o),m.putImageData(h,0,0),t.imageSmoothingEnabled=
!1,t.drawImage(E,0,0,i,o,a.x,a.y,a.width,a.height)}function _e(t,e){t.save(),t.beginPath(),t.rect(e.x,e.y,e.width,e.height),t.clip(),t.fillStyle=N("heat-none"),
t.fill(),t.strokeStyle=N("heat-hatch"),t.lineWidth=1,t.beginPath();for(let n=e.x-e.height;n<e.x+e.width;n+=7)t.moveTo(n,e.y+e.height),t.lineTo(n+e.height,e.y);t.
stroke(),t.restore()}function Me(t,e,{shown:n},s,o){if(t.fillStyle=N("card"),o>=6)for(let i=1;i<n;i++)t.fillRect(s.x,Math.round(e.top+i*o)-1,s.width,1);if(s.each>=
6)for(let i=s.x+s.each;i<s.x+s.width-1;i+=s.each)t.fillRect(Math.round(i)-1,e.top,1,e.height)}function ye(t,e,n,{top:s,shown:o},i){t.fillStyle=N("quiet"),t.textBaseline=
"middle",t.textAlign="right";let r=Math.max(1,Math.ceil(15/i));for(let a=Math.ceil(s/r)*r;a<s+o&&a<e.length;a+=r){let l=n.top+(a-s+.5)*i;if(l>n.bottom-4&&i<8)break;
t.fillText(e[a].name,n.left-18,Math.max(n.top+5,l),n.left-20)}t.textAlign="left"}function ve(t,e,n,s,{top:o,shown:i},r){for(let a=Math.floor(o);a<Math.min(e.length,
o+i);a++){let l=n.get(e[a].name);if(!l)continue;let h=s.top+(a-o+.5)*r,d=s.left-13;t.fillStyle=t.strokeStyle=N("critical"),t.beginPath(),l==="hang"?t.rect(d+1,h-
4,8,8):(t.moveTo(d,h-5),t.lineTo(d+10,h),t.lineTo(d,h+5),t.closePath()),l==="suspect"?t.stroke():t.fill()}}function Ne(t,e,n,s){t.fillStyle=N("quiet"),t.textBaseline=
"middle",t.fillText(s.time,n.time.x,Z/2,n.time.width),n.ranks.width&&t.fillText(s.ranks,n.ranks.x,Z/2,n.ranks.width+2);let o=Math.max(1,Math.ceil(74/n.time.each)),
i=e.columns-1;for(let r=i%o;r<=i;r+=o){let a=n.time.x+r*n.time.each;t.fillRect(Math.round(a),n.bottom,1,5),a+52<=n.time.x+n.time.width+4&&t.fillText(y(e.begin(r)),
a+3,n.bottom+12)}}function ht(t,{top:e,shown:n},s,o,i){let r=t.height/n,a=o<i?t.time:t.ranks;return{x:a.x+(o<i?o:o-i)*a.each,y:t.top+(s-e)*r,width:a.each,height:r}}
function $e(t,e,n){let s=Math.max(Y,e.width),o=Math.max(Y,e.height),[i,r]=[e.x+e.width/2-s/2,e.y+e.height/2-o/2];r+o<n.top-Y||r>n.bottom+Y||(t.lineWidth=4,t.strokeStyle=
N("card"),t.strokeRect(i-1,r-1,s+2,o+2),t.lineWidth=2,t.strokeStyle=N("focus"),t.strokeRect(i-1,r-1,s+2,o+2))}function jt(t,e){let{data:n,rows:s,ranks:o,width:i,
height:r}=e,a=J(i,r,n.columns,o);t.setTransform(e.ratio,0,0,e.ratio,0,0),t.fillStyle=N("card"),t.fillRect(0,0,i,r),t.font="11px system-ui, sans-serif",t.lineWidth=
1;let l=a.height/e.shown,h=be(),d=Math.max(1,Math.min(Math.ceil(e.shown),Math.round(a.height))),u=[[a.time,n.columns,m=>m.values]];o&&u.push([a.ranks,o,m=>m.latest]);
for(let[m,w,g]of u){let x={x:m.x,y:a.top,width:m.width,height:a.height};_e(t,x),w&&s.length&&ke(t,s,e,d,w,g,x,h),Me(t,a,e,m,l)}return ye(t,s,a,e,l),ve(t,s,e.marks,
a,e,l),Ne(t,n,a,e.titles),e.chosen&&$e(t,ht(a,e,e.chosen.row,e.chosen.column,n.columns),a),a}var M={view:"overview",from:null,to:null,chosen:{}},Pt=[],qt=t=>Pt.push(t);function dt(){let[t,e=""]=location.hash.replace(/^#\/?/,"").split("?"),n=new URLSearchParams(
e);M.view=t||"overview",M.from=n.get("from"),M.to=n.get("to"),n.delete("from"),n.delete("to"),M.chosen=Object.fromEntries(n)}function Se({view:t=M.view,from:e=M.
from,to:n=M.to,chosen:s={}}={}){let o=new URLSearchParams;e&&o.set("from",e),n&&o.set("to",n);for(let[r,a]of Object.entries(s))a!=null&&o.set(r,a);let i=o.toString();
return`#/${t}${i?`?${i}`:""}`}function Dt(t,e=!1){let n=Se(t);if(n!==location.hash){if(!e){location.hash=n;return}history.replaceState(null,"",n),dt()}}function Ft(){dt(),addEventListener("hashchange",()=>{dt();for(let t of Pt)t()})}var R=()=>M.chosen,X=(t,e=!0)=>Dt({view:"cluster",chosen:{...M.chosen,...t}},e);var Oe=4096,zt=10000000000n,Te=8,W=(t,e,n)=>Math.min(n,Math.max(e,t)),Gt=t=>t===-32768?"not known: it was not compared":`${Math.abs(t)} % ${t<0?"less":"more"} o\
wn work than its peers' median`,V=t=>t===-32768?"\u2013":`${t} %`;function Ce(){let t=L.map((e,n)=>n===0?`up to ${e} %`:`to ${e} %`);return c("ul",{class:"legen\
d","aria-label":"Colours: how much more own work than the median of its peers"},[...t,`over ${L.at(-1)} %`].map((e,n)=>c("li",{},c("i",{class:`kind tone${n}`}),
e)),c("li",{},c("i",{class:"kind tone-none"}),"not known"),c("li",{},"\u25B6 late (\u25B7 suspected), \u25A0 waited for in a hang"))}var Q=class{constructor(e,n,s){
Object.assign(this,{cluster:e,signal:n,dashboardUrl:s,data:new H,rows:[],marks:new Map,since:new Map,at:null,top:0,shown:1,known:null,turn:0}),this.canvas=c("ca\
nvas",{tabindex:"0",role:"application",id:"heat","aria-roledescription":"heat map","aria-describedby":"cell","aria-label":"Ranks by time. Arrow keys choose a ce\
ll, Page Up and Page Down go a tenth, Home and End to the ends, plus and minus zoom."}),this.canvas.frames=[],this.canvas.boxOf=(i,r)=>this.box(i,r),this.cell=c(
"p",{id:"cell","aria-live":"polite"},"Choose a cell: click it, or use the arrow keys."),this.place=c("div",{class:"tracks"},this.canvas),this.cutList=c("div"),this.
table=c("details",{ontoggle:()=>this.fillTable()},c("summary",{},"The picture as a table")),this.node=c("section",{class:"card",id:"node",hidden:!0});let o=(i,r)=>c(
"button",{onclick:r},i);this.element=c("div",{class:"view"},S("Ranks by time",c("div",{class:"bar"},o("Closer",()=>this.zoom(.5)),o("Farther",()=>this.zoom(2)),
o("All nodes",()=>this.zoom(1/0)),o("Next late node",()=>this.nextLate())),this.place,Ce(),this.cell,this.cutList,this.table),this.node),this.observer=new ResizeObserver(
()=>this.schedule()),this.observer.observe(this.place),this.scheme=matchMedia("(prefers-color-scheme: dark)"),this.recolour=()=>{Wt(),this.schedule()},this.scheme.
addEventListener("change",this.recolour),this.canvas.addEventListener("keydown",i=>this.onKey(i)),this.canvas.addEventListener("click",i=>this.onClick(i))}close(){
this.observer.disconnect(),this.scheme.removeEventListener("change",this.recolour),cancelAnimationFrame(this.due)}get ranks(){return Math.min(64,this.rows.reduce(
(e,n)=>Math.max(e,n.ranks.length),0))}async update({jobs:e,outliers:n,hangs:s}){let[o]=[...e].sort((r,a)=>(a.compares==="own work")-(r.compares==="own work")||a.
ranks-r.ranks);this.job=o??null,this.marks=new Map;for(let r of n)this.marks.get(r.node_id)!=="named"&&this.marks.set(r.node_id,r.state);for(let r of s)for(let a of r.
evidence.ranks)this.marks.set(a.node_id,"hang");let i=o?`${o.job_id} ${o.last_window_end_ns}`:null;if(o&&this.known!==i){let r=await I("effects",{cluster_id:o.cluster_id,
job_id:o.job_id??"",windows:60,top_n:Oe,...this.data.columns&&{from_ns:Number(this.data.end)}},this.signal);this.data.take(r,r.nodes.map(l=>({name:l.node_id,ranks:l.
ranks,latest:l.latest_percent,values:l.worst_percent}))),this.known=i;let a=this.shown>=this.rows.length;this.rows=[...this.data.rows.values()].sort(Rt),a&&Object.
assign(this,{top:0,shown:Math.max(1,this.rows.length)}),this.cutList.replaceChildren(z(r)??""),this.fillTable(),!this.at&&R().node?this.chooseNode(R().node):this.
at&&await this.showNode()}this.schedule()}schedule(){this.due||(this.due=requestAnimationFrame(()=>{this.due=0,this.draw()}))}draw(){let e=this.place.clientWidth;
if(!e)return;let n=W(this.rows.length*16+42,120,Math.max(300,innerHeight-260)),s=devicePixelRatio||1;(this.canvas.width!==Math.round(e*s)||this.canvas.height!==
Math.round(n*s))&&(Object.assign(this.canvas,{width:Math.round(e*s),height:Math.round(n*s)}),this.canvas.style.height=`${n}px`),Object.assign(this,{width:e,height:n});
let o=performance.now();jt(this.canvas.getContext("2d"),{data:this.data,rows:this.rows,ranks:this.ranks,top:this.top,shown:this.shown,width:e,height:n,ratio:s,marks:this.
marks,chosen:this.where(),titles:{time:"each node's worst rank",ranks:"its ranks now"}}),this.canvas.frames.push(performance.now()-o),this.canvas.frames.length>
1e3&&this.canvas.frames.shift()}where(){let e=this.at?this.rows.findIndex(s=>s.name===this.at.node):-1;if(e<0)return null;let n=this.at.place===void 0?Math.max(
0,this.data.column(this.at.window)):this.data.columns+this.at.place;return{row:e,column:n}}box(e,n){return ht(J(this.width,this.height,this.data.columns,this.ranks),
this,this.rows.findIndex(s=>s.name===e),n,this.data.columns)}choose(e,n){if(!this.rows.length||!this.data.columns)return;let s=this.rows[W(e,0,this.rows.length-
1)],{columns:o}=this.data,i=W(n,0,o+s.ranks.length-1);this.at=i<o?{node:s.name,window:this.data.begin(i)}:{node:s.name,place:i-o},this.fromNs=null;let r=this.rows.
indexOf(s);this.top=W(this.top,Math.min(r,Math.max(0,r-this.shown+1)),Math.min(r,this.rows.length-this.shown)),this.say(s,i)}say(e,n){let{columns:s,windowNs:o}=this.
data,i=this.data.begin(n);this.cell.textContent=n<s?`${e.name}, ${y(i)} to ${y(i+o)} UTC: its worst rank: ${Gt(e.values[n])}.`:`Rank ${e.ranks[n-s]} on ${e.name}\
, in the newest window: ${Gt(e.latest[n-s])}.`,X({node:e.name}),this.schedule(),clearTimeout(this.timer),this.timer=setTimeout(()=>this.showNode(),150)}chooseNode(e,n=null){
let s=this.rows.findIndex(o=>o.name===e);s<0||(this.choose(s,this.data.columns-1),this.fromNs=n)}nextLate(){let e=this.where()?.row??-1;for(let n=1;n<=this.rows.
length;n++){let s=this.rows[(e+n)%this.rows.length];if(this.marks.has(s.name))return this.chooseNode(s.name)}this.cell.textContent="No node is late, and none is\
 waited for."}zoom(e){let n=Math.max(1,this.rows.length),s=this.where()?.row??this.top+this.shown/2;this.shown=Math.round(W(this.shown*e,Math.min(Te,n),n)),this.
top=Math.round(W(s-this.shown/2,0,n-this.shown)),this.schedule()}moved(){R().node&&R().node!==this.at?.node&&this.chooseNode(R().node)}onKey(e){if(e.altKey||e.metaKey||
e.ctrlKey)return;let{row:n,column:s}=this.where()??{row:0,column:this.data.columns},o=Math.max(1,Math.round(this.shown/10)),i={ArrowLeft:[n,s-1],ArrowRight:[n,s+
1],ArrowUp:[n-1,s],ArrowDown:[n+1,s],PageUp:[n-o,s],PageDown:[n+o,s],Home:[n,0],End:[n,this.data.columns-1]}[e.key];if(i)this.choose(...i);else if(e.key==="+")this.
zoom(.5);else if(e.key==="-")this.zoom(2);else return;e.preventDefault()}onClick(e){let n=this.canvas.getBoundingClientRect(),s=J(this.width,this.height,this.data.
columns,this.ranks),o=e.clientX-n.left,i=e.clientY-n.top,r=Math.floor(this.top+(i-s.top)*this.shown/s.height);s.ranks.width&&o>=s.ranks.x?this.choose(r,this.data.
columns+Math.floor((o-s.ranks.x)/s.ranks.each)):this.choose(r,W(Math.floor((o-s.time.x)/s.time.each),0,this.data.columns-1))}fillTable(){this.table.open&&(this.
table.lastElementChild.tagName!=="SUMMARY"&&this.table.lastElementChild.remove(),this.table.append(T({caption:"Nodes; choose one",rows:this.rows,sorted:1,choose:e=>this.
chooseNode(e.name),columns:[{head:"Node",text:e=>e.name,sort:e=>e.name},{head:"Worst rank now",number:!0,text:e=>V(lt(e)),sort:lt},{head:"Most in this time",number:!0,
text:e=>V(Math.max(...e.values)),sort:e=>Math.max(...e.values)}]})))}wayToRecording(e,n,s){let o=`#/overview?from=${n}&to=${s}`;if(this.dashboardUrl){let i=this.
dashboardUrl.replaceAll("{node}",encodeURIComponent(e))+o;return[c("p",{},c("a",{href:i,target:"_blank",rel:"noopener noreferrer"},`The recording of ${e} from ${n}\
 to ${s}`))]}return[c("p",{},"On this node its recording says why:"),c("pre",{class:"commands"},`ingero explain --from ${n} --to ${s}
ingero dashboard    # then ${o} behind its address`),c("p",{},"With fleet serve --dashboard-url there is a link to it here.")]}async showNode(){let e=++this.turn,
{at:n,job:s}=this;if(!(!n||!s))try{let o=await I("effects",{cluster_id:s.cluster_id,job_id:s.job_id??"",node_id:n.node,windows:60},this.signal);if(e!==this.turn)
return;let i=this.fromNs?BigInt(this.fromNs):n.window??this.data.begin(0),r=this.fromNs||n.window===void 0?this.data.end:n.window+this.data.windowNs,[a,l]=[q(i-
zt),q(r+zt)],h=d=>d.effect_percent.filter(u=>u!==null);this.node.hidden=!1,this.node.replaceChildren(c("h2",{},n.node),T({caption:`Ranks of ${n.node}`,rows:o.ranks,
columns:[{head:"Rank",text:d=>`rank ${d.rank}`,sort:d=>d.rank},{head:"Now",number:!0,text:d=>V(d.effect_percent.at(-1)??-32768),sort:d=>d.effect_percent.at(-1)},
{head:"Most in this time",number:!0,text:d=>V(Math.max(-32768,...h(d))),sort:d=>Math.max(-32768,...h(d))},{head:"Windows compared",number:!0,text:d=>_(h(d).length)}]}),
...this.wayToRecording(n.node,a,l))}catch(o){if(o.name==="AbortError"||e!==this.turn)return;this.node.hidden=!1,this.node.replaceChildren(c("h2",{},n.node),c("p",
{role:"alert"},o.message))}}};var ft=document.getElementById("progress"),Ht=c("span"),Yt=c("span",{"aria-hidden":"true"});ft.replaceChildren(Ht,Yt);var D=null,Zt=0;function ut(){if(D===null)
return;let t=_t();Ht.textContent=`Loading ${t.length?t.join(", "):"the view"}`;let e=Math.floor((performance.now()-D)/1e3);Yt.textContent=e?` \u2026 ${e} s`:" \u2026"}
kt(ut);function Jt(){D===null&&(Zt=setInterval(ut,1e3)),D=performance.now(),ft.hidden=!1,ut()}function tt(){D=null,clearInterval(Zt),ft.hidden=!0}var Ae=(t=3)=>c(
"div",{class:"waiting","aria-hidden":"true"},Array.from({length:t},()=>c("i"))),Xt=t=>c("div",{class:"view outline"},c("section",{class:"card"},c("h2",{},t),Ae(
6)));var Vt="a,button,input,select,summary,[tabindex]",et=t=>`${t.tagName} ${t.id} ${t.getAttribute("aria-label")??t.textContent}`;function Qt(t,e){let n=document.activeElement,
[s,o]=t.contains(n)?[[...t.querySelectorAll(Vt)].indexOf(n),et(n)]:[-1,""],i=[scrollX,scrollY],r=new Set([...t.querySelectorAll("details[open] > summary")].map(
et));t.replaceWith(e);for(let l of e.querySelectorAll("details > summary"))r.has(et(l))&&(l.parentNode.open=!0);let a=[...e.querySelectorAll(Vt)];s>=0&&(a.find(
l=>et(l)===o)??a[s])?.focus({preventScroll:!0}),scrollTo(...i)}var Ie=2e3,Ee=100,$=document.getElementById("main"),st=document.getElementById("notice"),nt=0,f=null,U=!0,wt=new G({choose:t=>X({cluster:t,job:null,node:null,at:null},
!1),follow:()=>{U=!U,wt.draw({follows:U})}});function te(t){st.textContent=t instanceof O?t.message:`This page failed: ${t.message}`,st.hidden=!1,t instanceof O||
console.error(t)}function We(){f?.abort.abort(),f?.heat?.close(),f=null}function mt(){We(),st.hidden=!0,$.replaceChildren(Xt("The cause")),$.setAttribute("aria-\
busy","true"),Jt(),f={cluster:null,cards:new Map,heat:null,abort:new AbortController}}function F(t,e,n){let s=JSON.stringify(e),o=f.cards.get(t);if(o?.text===s)
return;let i=n(e)??c("div",{hidden:!0});i.id=t,f.cards.set(t,{text:s,made:i}),o?Qt(o.made,i):f.view.append(i)}function Le(t,e,n){let{sentences:s,outliers:o,hangs:i,
incidents:r,jobs:a,cut:l}=t;f.view||(f.view=c("div",{class:"view cluster-view"}),$.replaceChildren(f.view)),F("cause",{sentences:s,cut:l},Ot),F("hangs",{hangs:i},
h=>At(h,n)),F("late",{outliers:o,jobs:a},h=>Ct(h,n)),f.heat||(f.heat=new Q(f.cluster,f.abort.signal,f.dashboardUrl),f.view.append(f.heat.element)),F("clocks",e,
It),F("incidents",{incidents:r.filter(h=>h.state!=="open")},Et)}function Re({jobs:t,outliers:e}){let n=M.chosen.cluster;return n!==void 0?n:e[0]?.cluster_id??[...t].
sort((s,o)=>o.ranks-s.ranks)[0]?.cluster_id??null}async function Ue(){let{signal:t}=f.abort;f.dashboardUrl===void 0&&(f.dashboardUrl=(await K("/api/v1/health")).
dashboard_url);let e=await I("find_outlier_nodes",{top_n:1},t),n=Re(e);f.cluster=n,wt.draw({follows:U,cluster:n,jobs:e.jobs});let s=await I("run_analysis",{...n!==
null&&{cluster_id:n},top_n:Ee},t),{clocks:o,unknown_nodes:i}=await I("clocks",n===null?{}:{cluster_id:n},t);Le(s,{clocks:o.map(({age_s:r,...a})=>a),unknown_nodes:i},
(r,a)=>f.heat.chooseNode(r,a)),await f.heat.update(s),$.removeAttribute("aria-busy"),tt(),st.hidden=!0}var Be=()=>$.querySelector(":active, input:focus, select:\
focus")!==null;async function pt(){let t=++nt;try{(f.view===void 0||U&&!document.hidden&&!Be())&&await Ue()}catch(e){if(t!==nt||e.name==="AbortError")return;if(e.
status===401)return ee(e.message);f.view||$.replaceChildren(),$.removeAttribute("aria-busy"),tt(),te(e)}setTimeout(()=>t===nt&&pt(),Ie)}async function ee(t){++nt,
mt();try{(t!==void 0||await Mt())&&($.removeAttribute("aria-busy"),tt(),await yt($,t??"","the cluster"),document.activeElement?.blur(),mt())}catch(e){te(e)}pt()}
document.getElementById("skip").addEventListener("click",t=>{t.preventDefault(),$.focus()});qt(()=>{if(!f||(M.chosen.cluster??f.cluster)===f.cluster){f?.heat?.moved();
return}mt(),pt()});Ft();wt.draw({follows:U});ee();
