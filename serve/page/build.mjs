// Bundles the page's sources into bundle/, which the program embeds: `npm ci && npm run build` in this folder.
//
// bundle/ is committed, so that building the program needs no node; bundle/sources.sha256 says of which sources it was
// made, and tools/check_page fails when they have changed since.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { build } from "esbuild";

const common = { bundle: true, minify: true, legalComments: "inline", target: "es2022", lineLimit: 160, logLevel: "warning" };
for (const [source, made] of [["main", "page"], ["cluster", "cluster"]]) {
  await build({
    ...common, entryPoints: [`source/${source}.js`], format: "esm", outfile: `bundle/${made}.js`,
    banner: { js: "// Made by serve/page/build.mjs from serve/page/source/: change those." },
  });
}
await build({
  ...common, entryPoints: ["source/style.css"], outfile: "bundle/page.css",
  banner: { css: "/* Made by serve/page/build.mjs from serve/page/source/: change those. */" },
});
for (const name of ["index.html", "cluster.html", "icon.svg"]) writeFileSync(`bundle/${name}`, readFileSync(`source/${name}`));
for (const name of ["page.js", "cluster.js", "page.css"]) {
  const text = readFileSync(`bundle/${name}`, "utf8");
  writeFileSync(`bundle/${name}`, text.replace(/[ \t]+$/gm, "").trimEnd() + "\n");
}

// As tools/check_page does it: the names in order, each with the hash of its content.
const names = ["package.json", "package-lock.json", "build.mjs"];
for (const entry of readdirSync("source", { recursive: true, withFileTypes: true })) {
  if (entry.isFile()) names.push(`${entry.parentPath ?? entry.path}/${entry.name}`);
}
const sha256 = (content) => createHash("sha256").update(content).digest("hex");
const lines = names.sort().map((name) => `${sha256(readFileSync(name))}  ${name}\n`);
writeFileSync("bundle/sources.sha256", "# What bundle/ was made of: see build.mjs.\n" + lines.join(""));
