// The official TypeScript client: lists the tools, plays the calls of a file, prints one JSON document.
// node call_all.mjs CALLS.json SERVER_COMMAND [ARGUMENT...]
import { readFileSync } from "node:fs";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const [file, command, ...args] = process.argv.slice(2);
const steps = JSON.parse(readFileSync(file, "utf8"));
const client = new Client({ name: "tests", version: "1" });
await client.connect(new StdioClientTransport({ command, args, env: process.env }));
const listed = await client.listTools();
const called = [];
let page = "";
for (const [name, given] of steps) {
  const filled = JSON.stringify(given).replace(/<(.+?)>/g, (_, line) => {
    const found = page.match(new RegExp(`(e\\d+) ${line.replaceAll("'", '"')}`));
    if (found === null) throw new Error(`no ${line} in\n${page}`);
    return found[1];
  });
  const reply = await client.callTool({ name, arguments: JSON.parse(filled) });
  const text = reply.content[0].text;
  if (name === "browser_snapshot") page = text;
  called.push({ name, status: reply.structuredContent.status, code: reply.structuredContent.error?.code, error: reply.isError, text });
}
await client.close();
console.log(JSON.stringify({ tools: listed.tools.map((tool) => tool.name), called }));
