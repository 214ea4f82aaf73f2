// Made by serve/page/build.mjs from serve/page/source/: change those.
function c(t,e={},...n){let o=document.createElement(t);for(let[s,i]of Object.entries(e))i==null||i===!1||(s.startsWith("on")?o.addEventListener(s.slice(2),i):o.
setAttribute(s,i===!0?"":String(i)));for(let s of n.flat(2))s==null||s===!1||o.append(s instanceof Node?s:document.createTextNode(String(s)));return o}var st="\u2013",
ot=t=>t!=null;function te(t){let e=Math.abs(t);return e>=100?t.toFixed(0):e>=10?t.toFixed(1):t.toFixed(2)}var ee=[["s",1e9],["ms",1e6],["\xB5s",1e3]];function it(t){
if(!ot(t))return st;let e=Math.abs(t);if(e===0)return"0";if(e>=36e11)return`${(t/36e11).toFixed(1)} h`;if(e>=12e10)return`${(t/6e10).toFixed(1)} min`;for(let[n,
o]of ee)if(e>=o)return`${te(t/o)} ${n}`;return`${Math.round(t)} ns`}function M(t){return ot(t)?Number(t).toLocaleString("en"):st}function gt(t){return ot(t)&&Number.isFinite(t)?`${(100*t).toFixed(t<.1?1:0)} %`:st}function xt(t){let e=t/1000000000n;return`${new Date(Number(e)*1e3).toISOString().slice(0,19)}.${String(t-e*1000000000n).padStart(9,"0")}Z`}var j="ingero-token",$=class extends Error{constructor(e,n,o){super(o),this.status=e,this.word=n}},ne=/"(?:[^"\\]|\\.)*"|(?<![\d.])-?\d{16,}(?![\d.eE])/g,se=t=>JSON.
parse(t.replace(ne,e=>e[0]==='"'||Number.isSafeInteger(Number(e))?e:`"${e}"`));async function bt(t,e,n,o){let s=sessionStorage.getItem(j),i=s?{Authorization:`Be\
arer ${s}`}:{};n!==void 0&&(i["Content-Type"]="application/json");let r;try{r=await fetch(e,{method:t,headers:i,body:n,signal:o,credentials:"omit",cache:"no-sto\
re"})}catch(l){throw l.name==="AbortError"?l:new $(0,"gone","the server does not answer")}let a;try{a=se(await r.text())}catch(l){if(l.name==="AbortError")throw l;
if(r.ok)throw new $(r.status,"internal",`the server's answer cannot be read: ${l.message}`);a={error:`status ${r.status}`,class:"internal"}}if(!r.ok)throw new $(
r.status,a.class,a.error);return a}var oe={get_trace_stats:"the figures of all calls",get_time_spent:"where the time went",get_causal_chains:"the causes",get_calls_in_flight:"\
calls that have not returned",get_distributions:"distributions",get_timeline:"the timeline",get_stacks:"stacks",get_memory:"memory by call site",find_outlier_nodes:"\
the clusters",run_analysis:"who is late, and why",effects:"ranks by time",get_collectives:"collectives",get_inference:"steps of inference",get_fabric:"counters \
of the fabric",get_devices:"readings of devices"},rt=new Set,at=[],ie=()=>{},kt=t=>at.push(t),Mt=()=>[...new Set([...rt].map(t=>t.about))];async function L(t,e={},n=void 0){let o={about:oe[t]??"rows"};rt.add(o);for(let s of at)s();try{let s=await bt("POST",`/api/v1/tools/${t}`,JSON.stringify(e),n);
return n?.throwIfAborted(),s.recording&&ie(s.recording),s}finally{rt.delete(o);for(let s of at)s()}}var yt=t=>bt("GET",t);async function _t(){let{asks_token:t}=await yt("/page.json");return t&&!sessionStorage.getItem(j)}function Nt(t,e,n="the recording"){return sessionStorage.removeItem(
j),new Promise(o=>{let s=c("input",{id:"token",type:"password",autocomplete:"off",spellcheck:"false",required:!0}),i=c("p",{role:"alert"},e),r=c("form",{class:"\
card login"},c("h2",{},"Token"),c("p",{},`The server was started with a token, and shows ${n} to those who have it. It is kept in this tab only.`),c("label",{for:"\
token"},"Bearer token"),s,c("button",{type:"submit"},"Open"),i);r.addEventListener("submit",async a=>{a.preventDefault(),sessionStorage.setItem(j,s.value);try{await yt(
"/api/v1/health"),o()}catch(l){sessionStorage.removeItem(j),i.textContent=l.status===401?"That is not the token.":l.message,s.select()}}),t.replaceChildren(r),s.
focus()})}var vt=new Map,re=(t,e)=>`${t} ${e}${t===1?"":"s"}`;function ae(t,e,n){let o=c("div",{class:"table",role:"group","aria-label":t},e,n),s=c("button",{class:"hint",
hidden:!0},"More columns"),i=[...e.querySelectorAll("thead th")],r=()=>{let d=o.clientWidth;if(!d)return;let h=o.scrollWidth>d+1,u=h?i.filter(w=>w.offsetLeft+w.
offsetWidth>o.scrollLeft+d+1):[],m=u.length;o.classList.toggle("is-wide",h),a.classList.toggle("is-cut",m>0),h?o.tabIndex=0:o.removeAttribute("tabindex"),s.hidden=
!h,s.textContent=m?`${re(m,"more column")} \u2192`:"\u2190 to the first column",s.onclick=()=>{let w=m?u[0].offsetLeft-i[0].offsetWidth:0;o.scrollLeft=m&&w<=o.scrollLeft?
o.scrollLeft+d/2:w}},a=c("div",{class:"frame"},s,o);o.addEventListener("scroll",r,{passive:!0});let l=new ResizeObserver(r);return l.observe(o),l.observe(e),a}function A({
caption:t,columns:e,rows:n,sorted:o=null,choose:s=null,key:i=null,chosen:r=null,most:a=200}){let l=vt.get(t)??{by:o,down:!0};vt.set(t,l);let d=c("tbody"),h=c("p",
{class:"quiet"});function u(){let g=e[l.by],x=n;g?.sort&&(x=[...n].sort((p,b)=>{let[N,k]=[g.sort(p),g.sort(b)],U=N===k?0:N==null?-1:k==null?1:N<k?-1:1;return l.
down?-U:U})),d.replaceChildren(...x.slice(0,a).map(p=>{let b=c("tr",{"aria-selected":i&&r!==null?String(i(p))===String(r):void 0});return e.forEach((N,k)=>{let U=N.
node?N.node(p):N.text(p);b.append(c(k===0?"th":"td",{scope:k===0?"row":void 0,class:N.number?"number":void 0},k===0&&s?c("button",{class:"plain",onclick:()=>s(p)},
U):U))}),b})),h.textContent=n.length>a?`${a} of ${n.length} rows are shown.`:"",m.forEach((p,b)=>p.setAttribute("aria-sort",b!==l.by?"none":l.down?"descending":
"ascending"))}let m=e.map((g,x)=>c("th",{scope:"col",class:g.number?"number":void 0,title:g.title},g.sort?c("button",{class:"plain",onclick:()=>{l.down=l.by===x?
!l.down:!0,l.by=x,u()}},g.head):g.head)),w=c("table",{},c("caption",{},t),c("thead",{},c("tr",{},m)),d);return u(),ae(t,w,h)}var O=(t,...e)=>c("section",{class:"card"},c("h2",{},t),...e),D=t=>c("p",{class:"quiet"},t),F=t=>t?.cut?.length?c("ul",{class:"cut"},t.cut.map(e=>c("li",{},e))):
null;var St=t=>xt(BigInt(t)),_=t=>St(t).slice(11,19),q=t=>`${St(t).slice(0,19)}Z`;var $t=8;function Ot({sentences:t,cut:e}){let[n,...o]=t;return O("The cause",c("article",{class:"chain"},c("h3",{id:"verdict"},n),o.length?c("ul",{"aria-label":"\
The state of the cluster"},o.map(s=>c("li",{},s))):null),F({cut:e}))}var ce=t=>t.rank===null?t.node_id:`rank ${t.rank}`,ct=t=>it(Math.round(1e9*t));function le({
delayed:t,delayed_count:e}){let n=t.slice(0,$t).join(", ");return e?`${M(e)}: ${n}${e>Math.min(t.length,$t)?", \u2026":""}`:"0"}function he({kind:t,evidence:e}){
return t!=="straggler"?"its health score":`of each step ${ct(e.cpu_wait_s_per_step)} more waiting for a CPU, ${ct(e.storage_wait_s_per_step)} for storage`}var de=(t,e,n)=>c(
"button",{class:"plain",onclick:()=>e(t.node_id,n)},t.node_id);function Tt({outliers:t,jobs:e},n){let o=e.some(s=>s.ranks>0);return t.length?O("Late ranks",A({caption:"\
Late ranks",rows:t,most:12,choose:s=>n(s.node_id,s.since_ns),columns:[{head:"Rank",text:ce,sort:s=>s.rank},{head:"Node",text:s=>`${s.node_id}${s.scope==="node"&&
s.rank!==null?" (most of its ranks)":""}`,sort:s=>s.node_id},{head:"State",text:s=>s.state,sort:s=>s.state},{head:"Class",text:s=>s.class,sort:s=>s.class},{head:"\
Later",number:!0,title:"Than the median of its peers, of each step",text:s=>gt(s.effect),sort:s=>s.effect},{head:"Each step",number:!0,text:s=>ct(s.lateness_s_per_step),
sort:s=>s.lateness_s_per_step},{head:"Score",number:!0,title:"3.5: suspect, 7: named, 14 at most",text:s=>s.score.toFixed(1),sort:s=>s.score},{head:"Since (UTC)",
number:!0,text:s=>_(s.since_ns),sort:s=>String(s.since_ns)},{head:"Confidence",number:!0,text:s=>s.confidence===null?"\u2013":s.confidence.toFixed(2),sort:s=>s.
confidence},{head:"Ranks that wait for it",text:le,sort:s=>s.delayed_count},{head:"Evidence",text:he}]})):O("Late ranks",D(o?"No rank is late, and none is suspe\
cted.":"Nothing has been compared yet."))}function ue(t,e){let{evidence:n}=t;return c("article",{class:"chain"},c("h3",{},`${n.sentence[0].toUpperCase()}${n.sentence.
slice(1)}.`),c("p",{class:"quiet"},`${t.kind.replaceAll("_"," ")} \xB7 since ${q(t.from_ns)} \xB7 ${M(n.waiting_ranks)} wait, ${M(n.held_up_ranks)} of them held\
 up in other communicators \xB7 confidence ${t.confidence.toFixed(2)}`),n.ranks.length?A({caption:"Ranks that are waited for",rows:n.ranks.map(o=>({...o,number:n.
number})),columns:[{head:"Rank",text:o=>`rank ${o.rank}`,sort:o=>o.rank},{head:"Node",node:o=>de(o,e,t.from_ns),sort:o=>o.node_id},{head:"Last entered",number:!0,
text:o=>M(o.entered),sort:o=>o.entered},{head:"Last left",number:!0,text:o=>M(o.left),sort:o=>o.left},{head:"Others are in",number:!0,text:o=>M(o.number)},{head:"\
Its last operation",text:o=>o.op_type??"\u2013"},{head:"Last heard (UTC)",number:!0,text:o=>_(o.last_ns),sort:o=>String(o.last_ns)}]}):null,n.rank_count>n.ranks.
length?D(`${M(n.ranks.length)} of ${M(n.rank_count)} ranks are listed.`):null)}function Ct({hangs:t},e){return t.length?O("Hangs",t.map(n=>ue(n,e)),D("Nodes do \
not send processes and stacks. Choose a node to see the command that shows where its ranks are.")):null}function At({incidents:t}){return t.length?O("What was",
A({caption:"Incidents that have ended",rows:t,most:50,columns:[{head:"What",text:e=>e.evidence.sentence??e.kind},{head:"Class",text:e=>e.class,sort:e=>e.class},
{head:"State",text:e=>e.state,title:"silent: nothing comes of it any more, so that its end is not known",sort:e=>e.state},{head:"From (UTC)",number:!0,text:e=>_(
e.from_ns),sort:e=>String(e.from_ns)},{head:"To (UTC)",number:!0,text:e=>_(e.to_ns),sort:e=>String(e.to_ns)}]})):null}var K=class{constructor({choose:e,follow:n}){this.list=c("select",{id:"clusters",onchange:()=>e(this.list.value)}),this.label=c("label",{for:"clusters",hidden:!0},
"Cluster ",this.list),this.text=c("span"),this.button=c("button",{id:"follow",onclick:n}),document.getElementById("cluster").append(this.label),document.getElementById(
"part").append(this.text," ",this.button),this.names=""}draw({follows:e,cluster:n,jobs:o}){if(this.button.textContent=e?"Live: following":"Live: paused",this.button.
setAttribute("aria-pressed",String(e)),!o)return;let s=[...new Set([...o.map(l=>l.cluster_id),...n===null?[]:[n]])].sort();this.names!==s.join(`
`)&&(this.names=s.join(`
`),this.list.replaceChildren(...s.map(l=>c("option",{value:l},l)))),this.label.hidden=s.length===0,n!==null&&(this.list.value=n);let i=o.filter(l=>l.cluster_id===
n),r=i.reduce((l,d)=>l+d.ranks,0),a=i.map(l=>BigInt(l.last_window_end_ns)).reduce((l,d)=>d>l?d:l,0n);this.text.textContent=i.length?`${M(r)} ranks are compared,\
 to ${_(a)} UTC`:"",document.title=[n,"ingero fleet"].filter(Boolean).join(" \u2013 ")}};var T=null;function It(){T=null}function v(t){return T||(T=new Map,T.style=getComputedStyle(document.documentElement)),T.has(t)||T.set(t,T.style.getPropertyValue(
`--${t}`).trim()||"#888"),T.get(t)}var Et=t=>Int16Array.from(t,e=>e??-32768),fe=new Intl.Collator("en",{numeric:!0}),Lt=(t,e)=>fe.compare(t.name,e.name),lt=t=>t.latest.reduce((e,n)=>Math.max(e,n),
-32768),z=class{constructor(){this.rows=new Map,this.from=0n,this.windowNs=0n,this.columns=0}get end(){return this.from+this.windowNs*BigInt(this.columns)}begin(e){
return this.from+this.windowNs*BigInt(e)}column(e){let n=this.windowNs>0n?Number((e-this.from)/this.windowNs):-1;return e>=this.from&&n<this.columns?n:-1}take({
from_ns:e,window_s:n,window_count:o},s){if(!o)return;let i=BigInt(n)*1000000000n,r=BigInt(e);(i!==this.windowNs||r>this.end)&&Object.assign(this,{rows:new Map,windowNs:i,
from:r,columns:0});let a=r+i*BigInt(o),l=this.columns&&this.from<r?this.from:r,d=Math.min(60,Number((a-l)/i));l=a-i*BigInt(d);let h=(u,m)=>{let w=new Int16Array(
d).fill(-32768),g=Number((m-l)/i);for(let x=Math.max(0,-g);x<u.length&&x+g<d;x++)w[x+g]=u[x];return w};for(let u of this.rows.values())u.values=h(u.values,this.
from),u.latest.fill(-32768);for(let{name:u,ranks:m,latest:w,values:g}of s){let x=h(Et(g),r),p=this.rows.get(u)?.values;if(p)for(let b=0;b<d;b++)x[b]===-32768&&(x[b]=
p[b]);this.rows.set(u,{name:u,ranks:m,latest:Et(w),values:x})}for(let[u,m]of this.rows)m.values.every(w=>w===-32768)&&!s.some(w=>w.name===u)&&this.rows.delete(u);
Object.assign(this,{from:l,columns:d})}};var W=[2,5,10,20,30,50],me=t=>{let e=0;for(;e<W.length&&t>W[e];)e++;return e},Y=20,Wt=22,Rt=12,H=7;function Z(t,e,n,o){let s=t<500?84:128,i=o?Math.max(4,Math.min(
20,Math.floor((t-s)*.3/o))):0,r=i*o,a=Math.max(20,t-s-2-(o?r+Rt:0));return{left:s,top:Y,height:e-Y-Wt,bottom:e-Wt,time:{x:s,width:a,each:a/Math.max(1,n)},ranks:{
x:s+a+Rt,width:r,each:i}}}function we(){let t=e=>{let n=parseInt(v(e).slice(1),16);return(4278190080|(n&255)<<16|n&65280|n>>16)>>>0};return Uint32Array.from({length:W.
length+1},(e,n)=>t(`heat-${n}`))}var I=document.createElement("canvas");function pe(t,e,{top:n,shown:o},s,i,r,a,l){let d=new ImageData(i,s),h=new Uint32Array(d.
data.buffer),u=new Int16Array(i);for(let w=0;w<s;w++){let g=Math.floor(n+w*o/s),x=Math.min(e.length,Math.max(g+1,Math.floor(n+(w+1)*o/s)));u.fill(-32768);for(let p=g;p<
x;p++){let b=r(e[p]),N=Math.min(i,b.length);for(let k=0;k<N;k++)b[k]>u[k]&&(u[k]=b[k])}for(let p=0;p<i;p++)u[p]!==-32768&&(h[w*i+p]=l[me(u[p])])}(I.width<i||I.height<
s)&&Object.assign(I,{width:Math.max(I.width,i),height:Math.max(I.height,s)});let m=I.getContext("2d");m.clearRect(0,0,i,s),m.putImageData(d,0,0),t.imageSmoothingEnabled=
!1,t.drawImage(I,0,0,i,s,a.x,a.y,a.width,a.height)}function ge(t,e){t.save(),t.beginPath(),t.rect(e.x,e.y,e.width,e.height),t.clip(),t.fillStyle=v("heat-none"),
t.fill(),t.strokeStyle=v("heat-hatch"),t.lineWidth=1,t.beginPath();for(let n=e.x-e.height;n<e.x+e.width;n+=7)t.moveTo(n,e.y+e.height),t.lineTo(n+e.height,e.y);t.
stroke(),t.restore()}function xe(t,e,{shown:n},o,s){if(t.fillStyle=v("card"),s>=6)for(let i=1;i<n;i++)t.fillRect(o.x,Math.round(e.top+i*s)-1,o.width,1);if(o.each>=
6)for(let i=o.x+o.each;i<o.x+o.width-1;i+=o.each)t.fillRect(Math.round(i)-1,e.top,1,e.height)}function be(t,e,n,{top:o,shown:s},i){t.fillStyle=v("quiet"),t.textBaseline=
"middle",t.textAlign="right";let r=Math.max(1,Math.ceil(15/i));for(let a=Math.ceil(o/r)*r;a<o+s&&a<e.length;a+=r){let l=n.top+(a-o+.5)*i;if(l>n.bottom-4&&i<8)break;
t.fillText(e[a].name,n.left-18,Math.max(n.top+5,l),n.left-20)}t.textAlign="left"}function ke(t,e,n,o,{top:s,shown:i},r){for(let a=Math.floor(s);a<Math.min(e.length,
s+i);a++){let l=n.get(e[a].name);if(!l)continue;let d=o.top+(a-s+.5)*r,h=o.left-13;t.fillStyle=t.strokeStyle=v("critical"),t.beginPath(),l==="hang"?t.rect(h+1,d-
4,8,8):(t.moveTo(h,d-5),t.lineTo(h+10,d),t.lineTo(h,d+5),t.closePath()),l==="suspect"?t.stroke():t.fill()}}function Me(t,e,n,o){t.fillStyle=v("quiet"),t.textBaseline=
"middle",t.fillText(o.time,n.time.x,Y/2,n.time.width),n.ranks.width&&t.fillText(o.ranks,n.ranks.x,Y/2,n.ranks.width+2);let s=Math.max(1,Math.ceil(74/n.time.each)),
i=e.columns-1;for(let r=i%s;r<=i;r+=s){let a=n.time.x+r*n.time.each;t.fillRect(Math.round(a),n.bottom,1,5),a+52<=n.time.x+n.time.width+4&&t.fillText(_(e.begin(r)),
a+3,n.bottom+12)}}function ht(t,{top:e,shown:n},o,s,i){let r=t.height/n,a=s<i?t.time:t.ranks;return{x:a.x+(s<i?s:s-i)*a.each,y:t.top+(o-e)*r,width:a.each,height:r}}
function ye(t,e,n){let o=Math.max(H,e.width),s=Math.max(H,e.height),[i,r]=[e.x+e.width/2-o/2,e.y+e.height/2-s/2];r+s<n.top-H||r>n.bottom+H||(t.lineWidth=4,t.strokeStyle=
v("card"),t.strokeRect(i-1,r-1,o+2,s+2),t.lineWidth=2,t.strokeStyle=v("focus"),t.strokeRect(i-1,r-1,o+2,s+2))}function Bt(t,e){let{data:n,rows:o,ranks:s,width:i,
height:r}=e,a=Z(i,r,n.columns,s);t.setTransform(e.ratio,0,0,e.ratio,0,0),t.fillStyle=v("card"),t.fillRect(0,0,i,r),t.font="11px system-ui, sans-serif",t.lineWidth=
1;let l=a.height/e.shown,d=we(),h=Math.max(1,Math.min(Math.ceil(e.shown),Math.round(a.height))),u=[[a.time,n.columns,m=>m.values]];s&&u.push([a.ranks,s,m=>m.latest]);
for(let[m,w,g]of u){let x={x:m.x,y:a.top,width:m.width,height:a.height};ge(t,x),w&&o.length&&pe(t,o,e,h,w,g,x,d),xe(t,a,e,m,l)}return be(t,o,a,e,l),ke(t,o,e.marks,
a,e,l),Me(t,n,a,e.titles),e.chosen&&ye(t,ht(a,e,e.chosen.row,e.chosen.column,n.columns),a),a}var y={view:"overview",from:null,to:null,chosen:{}},Ut=[],jt=t=>Ut.push(t);function dt(){let[t,e=""]=location.hash.replace(/^#\/?/,"").split("?"),n=new URLSearchParams(
e);y.view=t||"overview",y.from=n.get("from"),y.to=n.get("to"),n.delete("from"),n.delete("to"),y.chosen=Object.fromEntries(n)}function _e({view:t=y.view,from:e=y.
from,to:n=y.to,chosen:o={}}={}){let s=new URLSearchParams;e&&s.set("from",e),n&&s.set("to",n);for(let[r,a]of Object.entries(o))a!=null&&s.set(r,a);let i=s.toString();
return`#/${t}${i?`?${i}`:""}`}function qt(t,e=!1){let n=_e(t);if(n!==location.hash){if(!e){location.hash=n;return}history.replaceState(null,"",n),dt()}}function Pt(){dt(),addEventListener("hashchange",()=>{dt();for(let t of Ut)t()})}var R=()=>y.chosen,G=(t,e=!0)=>qt({view:"cluster",chosen:{...y.chosen,...t}},e);var Ne=4096,Ft=10000000000n,ve=8,E=(t,e,n)=>Math.min(n,Math.max(e,t)),Kt=t=>t===-32768?"not known: it was not compared":`${Math.abs(t)} % ${t<0?"less":"more"} o\
wn work than its peers' median`,J=t=>t===-32768?"\u2013":`${t} %`;function Se(){let t=W.map((e,n)=>n===0?`up to ${e} %`:`to ${e} %`);return c("ul",{class:"legen\
d","aria-label":"Colours: how much more own work than the median of its peers"},[...t,`over ${W.at(-1)} %`].map((e,n)=>c("li",{},c("i",{class:`kind tone${n}`}),
e)),c("li",{},c("i",{class:"kind tone-none"}),"not known"),c("li",{},"\u25B6 late (\u25B7 suspected), \u25A0 waited for in a hang"))}var X=class{constructor(e,n){
Object.assign(this,{cluster:e,signal:n,data:new z,rows:[],marks:new Map,since:new Map,at:null,top:0,shown:1,known:null,turn:0}),this.canvas=c("canvas",{tabindex:"\
0",role:"application",id:"heat","aria-roledescription":"heat map","aria-describedby":"cell","aria-label":"Ranks by time. Arrow keys choose a cell, Page Up and P\
age Down go a tenth, Home and End to the ends, plus and minus zoom."}),this.canvas.frames=[],this.canvas.boxOf=(s,i)=>this.box(s,i),this.cell=c("p",{id:"cell","\
aria-live":"polite"},"Choose a cell: click it, or use the arrow keys."),this.place=c("div",{class:"lanes"},this.canvas),this.cutList=c("div"),this.table=c("deta\
ils",{ontoggle:()=>this.fillTable()},c("summary",{},"The picture as a table")),this.node=c("section",{class:"card",id:"node",hidden:!0});let o=(s,i)=>c("button",
{onclick:i},s);this.element=c("div",{class:"view"},O("Ranks by time",c("div",{class:"bar"},o("Closer",()=>this.zoom(.5)),o("Farther",()=>this.zoom(2)),o("All no\
des",()=>this.zoom(1/0)),o("Next late node",()=>this.nextLate())),this.place,Se(),this.cell,this.cutList,this.table),this.node),this.observer=new ResizeObserver(
()=>this.schedule()),this.observer.observe(this.place),this.scheme=matchMedia("(prefers-color-scheme: dark)"),this.recolour=()=>{It(),this.schedule()},this.scheme.
addEventListener("change",this.recolour),this.canvas.addEventListener("keydown",s=>this.onKey(s)),this.canvas.addEventListener("click",s=>this.onClick(s))}close(){
this.observer.disconnect(),this.scheme.removeEventListener("change",this.recolour),cancelAnimationFrame(this.due)}get ranks(){return Math.min(64,this.rows.reduce(
(e,n)=>Math.max(e,n.ranks.length),0))}async update({jobs:e,outliers:n,hangs:o}){let[s]=[...e].sort((r,a)=>(a.compares==="own work")-(r.compares==="own work")||a.
ranks-r.ranks);this.job=s??null,this.marks=new Map;for(let r of n)this.marks.get(r.node_id)!=="named"&&this.marks.set(r.node_id,r.state);for(let r of o)for(let a of r.
evidence.ranks)this.marks.set(a.node_id,"hang");let i=s?`${s.job_id} ${s.last_window_end_ns}`:null;if(s&&this.known!==i){let r=await L("effects",{cluster_id:s.cluster_id,
job_id:s.job_id??"",windows:60,top_n:Ne,...this.data.columns&&{from_ns:Number(this.data.end)}},this.signal);this.data.take(r,r.nodes.map(l=>({name:l.node_id,ranks:l.
ranks,latest:l.latest_percent,values:l.worst_percent}))),this.known=i;let a=this.shown>=this.rows.length;this.rows=[...this.data.rows.values()].sort(Lt),a&&Object.
assign(this,{top:0,shown:Math.max(1,this.rows.length)}),this.cutList.replaceChildren(F(r)??""),this.fillTable(),!this.at&&R().node?this.chooseNode(R().node):this.
at&&await this.showNode()}this.schedule()}schedule(){this.due||(this.due=requestAnimationFrame(()=>{this.due=0,this.draw()}))}draw(){let e=this.place.clientWidth;
if(!e)return;let n=E(this.rows.length*16+42,120,Math.max(300,innerHeight-260)),o=devicePixelRatio||1;(this.canvas.width!==Math.round(e*o)||this.canvas.height!==
Math.round(n*o))&&(Object.assign(this.canvas,{width:Math.round(e*o),height:Math.round(n*o)}),this.canvas.style.height=`${n}px`),Object.assign(this,{width:e,height:n});
let s=performance.now();Bt(this.canvas.getContext("2d"),{data:this.data,rows:this.rows,ranks:this.ranks,top:this.top,shown:this.shown,width:e,height:n,ratio:o,marks:this.
marks,chosen:this.where(),titles:{time:"each node's worst rank",ranks:"its ranks now"}}),this.canvas.frames.push(performance.now()-s),this.canvas.frames.length>
1e3&&this.canvas.frames.shift()}where(){let e=this.at?this.rows.findIndex(o=>o.name===this.at.node):-1;if(e<0)return null;let n=this.at.place===void 0?Math.max(
0,this.data.column(this.at.window)):this.data.columns+this.at.place;return{row:e,column:n}}box(e,n){return ht(Z(this.width,this.height,this.data.columns,this.ranks),
this,this.rows.findIndex(o=>o.name===e),n,this.data.columns)}choose(e,n){if(!this.rows.length||!this.data.columns)return;let o=this.rows[E(e,0,this.rows.length-
1)],{columns:s}=this.data,i=E(n,0,s+o.ranks.length-1);this.at=i<s?{node:o.name,window:this.data.begin(i)}:{node:o.name,place:i-s},this.fromNs=null;let r=this.rows.
indexOf(o);this.top=E(this.top,Math.min(r,Math.max(0,r-this.shown+1)),Math.min(r,this.rows.length-this.shown)),this.say(o,i)}say(e,n){let{columns:o,windowNs:s}=this.
data,i=this.data.begin(n);this.cell.textContent=n<o?`${e.name}, ${_(i)} to ${_(i+s)} UTC: its worst rank: ${Kt(e.values[n])}.`:`Rank ${e.ranks[n-o]} on ${e.name}\
, in the newest window: ${Kt(e.latest[n-o])}.`,G({node:e.name}),this.schedule(),clearTimeout(this.timer),this.timer=setTimeout(()=>this.showNode(),150)}chooseNode(e,n=null){
let o=this.rows.findIndex(s=>s.name===e);o<0||(this.choose(o,this.data.columns-1),this.fromNs=n)}nextLate(){let e=this.where()?.row??-1;for(let n=1;n<=this.rows.
length;n++){let o=this.rows[(e+n)%this.rows.length];if(this.marks.has(o.name))return this.chooseNode(o.name)}this.cell.textContent="No node is late, and none is\
 waited for."}zoom(e){let n=Math.max(1,this.rows.length),o=this.where()?.row??this.top+this.shown/2;this.shown=Math.round(E(this.shown*e,Math.min(ve,n),n)),this.
top=Math.round(E(o-this.shown/2,0,n-this.shown)),this.schedule()}moved(){R().node&&R().node!==this.at?.node&&this.chooseNode(R().node)}onKey(e){if(e.altKey||e.metaKey||
e.ctrlKey)return;let{row:n,column:o}=this.where()??{row:0,column:this.data.columns},s=Math.max(1,Math.round(this.shown/10)),i={ArrowLeft:[n,o-1],ArrowRight:[n,o+
1],ArrowUp:[n-1,o],ArrowDown:[n+1,o],PageUp:[n-s,o],PageDown:[n+s,o],Home:[n,0],End:[n,this.data.columns-1]}[e.key];if(i)this.choose(...i);else if(e.key==="+")this.
zoom(.5);else if(e.key==="-")this.zoom(2);else return;e.preventDefault()}onClick(e){let n=this.canvas.getBoundingClientRect(),o=Z(this.width,this.height,this.data.
columns,this.ranks),s=e.clientX-n.left,i=e.clientY-n.top,r=Math.floor(this.top+(i-o.top)*this.shown/o.height);o.ranks.width&&s>=o.ranks.x?this.choose(r,this.data.
columns+Math.floor((s-o.ranks.x)/o.ranks.each)):this.choose(r,E(Math.floor((s-o.time.x)/o.time.each),0,this.data.columns-1))}fillTable(){this.table.open&&(this.
table.lastElementChild.tagName!=="SUMMARY"&&this.table.lastElementChild.remove(),this.table.append(A({caption:"Nodes; choose one",rows:this.rows,sorted:1,choose:e=>this.
chooseNode(e.name),columns:[{head:"Node",text:e=>e.name,sort:e=>e.name},{head:"Worst rank now",number:!0,text:e=>J(lt(e)),sort:lt},{head:"Most in this time",number:!0,
text:e=>J(Math.max(...e.values)),sort:e=>Math.max(...e.values)}]})))}async showNode(){let e=++this.turn,{at:n,job:o}=this;if(!(!n||!o))try{let s=await L("effect\
s",{cluster_id:o.cluster_id,job_id:o.job_id??"",node_id:n.node,windows:60},this.signal);if(e!==this.turn)return;let i=this.fromNs?BigInt(this.fromNs):n.window??
this.data.begin(0),r=this.fromNs||n.window===void 0?this.data.end:n.window+this.data.windowNs,[a,l]=[q(i-Ft),q(r+Ft)],d=h=>h.effect_percent.filter(u=>u!==null);
this.node.hidden=!1,this.node.replaceChildren(c("h2",{},n.node),A({caption:`Ranks of ${n.node}`,rows:s.ranks,columns:[{head:"Rank",text:h=>`rank ${h.rank}`,sort:h=>h.
rank},{head:"Now",number:!0,text:h=>J(h.effect_percent.at(-1)??-32768),sort:h=>h.effect_percent.at(-1)},{head:"Most in this time",number:!0,text:h=>J(Math.max(-32768,
...d(h))),sort:h=>Math.max(-32768,...d(h))},{head:"Windows compared",number:!0,text:h=>M(d(h).length)}]}),c("p",{},"Nodes do not send where their own dashboard \
is, so there is no link to it. On this node its recording says why:"),c("pre",{class:"commands"},`ingero explain --from ${a} --to ${l}
ingero dashboard    # then #/timeline?from=${a}&to=${l} behind its address`))}catch(s){if(s.name==="AbortError"||e!==this.turn)return;this.node.hidden=!1,this.node.
replaceChildren(c("h2",{},n.node),c("p",{role:"alert"},s.message))}}};var ft=document.getElementById("progress"),zt=c("span"),Ht=c("span",{"aria-hidden":"true"});ft.replaceChildren(zt,Ht);var P=null,Yt=0;function ut(){if(P===null)
return;let t=Mt();zt.textContent=`Loading ${t.length?t.join(", "):"the view"}`;let e=Math.floor((performance.now()-P)/1e3);Ht.textContent=e?` \u2026 ${e} s`:" \u2026"}
kt(ut);function Zt(){P===null&&(Yt=setInterval(ut,1e3)),P=performance.now(),ft.hidden=!1,ut()}function V(){P=null,clearInterval(Yt),ft.hidden=!0}var $e=(t=3)=>c(
"div",{class:"waiting","aria-hidden":"true"},Array.from({length:t},()=>c("i"))),Gt=t=>c("div",{class:"view outline"},c("section",{class:"card"},c("h2",{},t),$e(
6)));var Jt="a,button,input,select,summary,[tabindex]",Q=t=>`${t.tagName} ${t.id} ${t.getAttribute("aria-label")??t.textContent}`;function Xt(t,e){let n=document.activeElement,
[o,s]=t.contains(n)?[[...t.querySelectorAll(Jt)].indexOf(n),Q(n)]:[-1,""],i=[scrollX,scrollY],r=new Set([...t.querySelectorAll("details[open] > summary")].map(Q));
t.replaceWith(e);for(let l of e.querySelectorAll("details > summary"))r.has(Q(l))&&(l.parentNode.open=!0);let a=[...e.querySelectorAll(Jt)];o>=0&&(a.find(l=>Q(l)===
s)??a[o])?.focus({preventScroll:!0}),scrollTo(...i)}var Oe=2e3,Te=100,S=document.getElementById("main"),nt=document.getElementById("notice"),et=0,f=null,B=!0,wt=new K({choose:t=>G({cluster:t,job:null,node:null,at:null},
!1),follow:()=>{B=!B,wt.draw({follows:B})}});function Vt(t){nt.textContent=t instanceof $?t.message:`This page failed: ${t.message}`,nt.hidden=!1,t instanceof $||
console.error(t)}function Ce(){f?.abort.abort(),f?.heat?.close(),f=null}function mt(){Ce(),nt.hidden=!0,S.replaceChildren(Gt("The cause")),S.setAttribute("aria-\
busy","true"),Zt(),f={cluster:null,cards:new Map,heat:null,abort:new AbortController}}function tt(t,e,n){let o=JSON.stringify(e),s=f.cards.get(t);if(s?.text===o)
return;let i=n(e)??c("div",{hidden:!0});i.id=t,f.cards.set(t,{text:o,made:i}),s?Xt(s.made,i):f.view.append(i)}function Ae(t,e){let{sentences:n,outliers:o,hangs:s,
incidents:i,jobs:r,cut:a}=t;f.view||(f.view=c("div",{class:"view cluster-view"}),S.replaceChildren(f.view)),tt("cause",{sentences:n,cut:a},Ot),tt("hangs",{hangs:s},
l=>Ct(l,e)),tt("late",{outliers:o,jobs:r},l=>Tt(l,e)),f.heat||(f.heat=new X(f.cluster,f.abort.signal),f.view.append(f.heat.element)),tt("incidents",{incidents:i.
filter(l=>l.state!=="open")},At)}function Ie({jobs:t,outliers:e}){let n=y.chosen.cluster;return n!==void 0?n:e[0]?.cluster_id??[...t].sort((o,s)=>s.ranks-o.ranks)[0]?.
cluster_id??null}async function Ee(){let{signal:t}=f.abort,e=await L("find_outlier_nodes",{top_n:1},t),n=Ie(e);f.cluster=n,wt.draw({follows:B,cluster:n,jobs:e.jobs});
let o=await L("run_analysis",{...n!==null&&{cluster_id:n},top_n:Te},t);Ae(o,(s,i)=>f.heat.chooseNode(s,i)),await f.heat.update(o),S.removeAttribute("aria-busy"),
V(),nt.hidden=!0}var Le=()=>S.querySelector(":active, input:focus, select:focus")!==null;async function pt(){let t=++et;try{(f.view===void 0||B&&!document.hidden&&
!Le())&&await Ee()}catch(e){if(t!==et||e.name==="AbortError")return;if(e.status===401)return Qt(e.message);f.view||S.replaceChildren(),S.removeAttribute("aria-b\
usy"),V(),Vt(e)}setTimeout(()=>t===et&&pt(),Oe)}async function Qt(t){++et,mt();try{(t!==void 0||await _t())&&(S.removeAttribute("aria-busy"),V(),await Nt(S,t??"",
"the cluster"),document.activeElement?.blur(),mt())}catch(e){Vt(e)}pt()}document.getElementById("skip").addEventListener("click",t=>{t.preventDefault(),S.focus()});
jt(()=>{if(!f||(y.chosen.cluster??f.cluster)===f.cluster){f?.heat?.moved();return}mt(),pt()});Pt();wt.draw({follows:B});Qt();
