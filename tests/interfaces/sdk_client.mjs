// A client of the official SDKs: asks every question it is given and prints what it saw as one object of JSON.
//
//   sdk_client.mjs MODULES legacy|modern QUESTIONS URL | COMMAND...
//
// legacy: @modelcontextprotocol/sdk, which begins with `initialize`; modern: @modelcontextprotocol/client, whose
// requests name their revision themselves. QUESTIONS is JSON: [[tool, input], ...]. TOKEN: the bearer token, over
// HTTP. What the server does not offer is empty.
import { createRequire } from 'node:module';

const [modules, era, questions, ...target] = process.argv.slice(2);
const require = createRequire(modules + '/');
const overHttp = /^https?:/.test(target[0]);

function parts() {
  if (era === 'modern') {
    const { Client, StreamableHTTPClientTransport } = require('@modelcontextprotocol/client');
    return [Client, StreamableHTTPClientTransport, require('@modelcontextprotocol/client/stdio').StdioClientTransport];
  }
  return [require('@modelcontextprotocol/sdk/client/index.js').Client,
    require('@modelcontextprotocol/sdk/client/streamableHttp.js').StreamableHTTPClientTransport,
    require('@modelcontextprotocol/sdk/client/stdio.js').StdioClientTransport];
}

const [Client, Http, Stdio] = parts();
const transport = overHttp
  ? new Http(new URL(target[0]), { requestInit: { headers: { Authorization: `Bearer ${process.env.TOKEN}` } } })
  : new Stdio({ command: target[0], args: target.slice(1) });
const client = new Client({ name: 'interfaces', version: '1' },
  era === 'modern' ? { versionNegotiation: { mode: { pin: '2026-07-28' } } } : {});
await client.connect(transport);
const { prompts, resources } = client.getServerCapabilities();
const seen = {
  revision: client.getNegotiatedProtocolVersion?.() ?? transport.protocolVersion ?? null,
  tools: (await client.listTools()).tools.map((tool) => tool.name),
  prompts: prompts ? (await client.listPrompts()).prompts.map((prompt) => prompt.name) : [],
  messages: prompts ? (await client.getPrompt({ name: 'investigate', arguments: { focus: 'pid 7' } })).messages.length : 0,
  resources: {},
  answers: [],
};
for (const { uri } of resources ? (await client.listResources()).resources : []) {
  seen.resources[uri] = (await client.readResource({ uri })).contents[0].text;
}
for (const [name, input] of JSON.parse(questions)) {
  // The SDK holds structured content to the schema that the tool was listed with, and throws.
  const { isError, structuredContent, content } = await client.callTool({ name, arguments: input });
  seen.answers.push({ isError: isError === true, structured: structuredContent ?? null, texts: content.map((one) => one.text) });
}
await client.close();
console.log(JSON.stringify(seen));
