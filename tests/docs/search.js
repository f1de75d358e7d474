// Prints, for each query, the addresses that the search of the built site finds, the best first, as JSON.
// It runs the site's own worker, as browsers do: node search.js SITE QUERY...
const fs = require("fs");
const vm = require("vm");

const [site, ...queries] = process.argv.slice(2);
const folder = `${site}/assets/javascripts/workers`;
const worker = fs.readFileSync(`${folder}/${fs.readdirSync(folder).find((name) => name.startsWith("search."))}`, "utf8");
const index = JSON.parse(fs.readFileSync(`${site}/search.json`, "utf8"));
const tags = [{ type: "term", data: { field: "tags" } }];
const filter = { input: { type: "operator", data: { operator: "and", operands: [] } }, aggregation: { input: tags } };

const self = {};
const ask = (type, data) =>
  new Promise((done) => {
    self.postMessage = done;
    self.onmessage({ data: { type, data: structuredClone(data) } }); // the worker changes what it gets
  });

(async () => {
  vm.runInThisContext(`(function (self) {${worker}\n})`)(self);
  await ask(0, index);
  const found = {};
  for (const input of queries) {
    const reply = await ask(2, { input, filter });
    found[input] = reply.data.items.map((item) => index.items[item.id].location);
  }
  console.log(JSON.stringify(found));
})();
