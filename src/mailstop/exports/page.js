"use strict";
// Without this the page reads the same: it lists the conversations and finds words. It writes text only, never markup.
const sections = [...document.querySelectorAll("section")];
const list = document.getElementById("list");
for (const section of sections) {
  const item = document.createElement("li");
  const link = document.createElement("a");
  link.href = "#" + section.id;
  link.textContent = section.querySelector("h2 bdi").textContent;
  item.append(link);
  list.append(item);
}
document.getElementById("conversations").hidden = sections.length < 2;
const find = document.getElementById("find");
const found = document.getElementById("found");
document.querySelector(".find").hidden = false;
function search() {
  const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
  let count = 0;
  sections.forEach((section, at) => {
    let any = false;
    for (const letter of section.querySelectorAll("article")) {
      const text = letter.textContent.toLowerCase();
      letter.hidden = !words.every((word) => text.includes(word));
      any = any || !letter.hidden;
      count += letter.hidden ? 0 : 1;
    }
    section.hidden = !any;
    list.children[at].hidden = !any;
  });
  found.textContent = words.length ? count + (count === 1 ? " letter" : " letters") : "";
}
let later;
find.addEventListener("input", () => { clearTimeout(later); later = setTimeout(search, 80); });
// A link to a letter that the search hides shows it.
addEventListener("hashchange", () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target && target.closest("[hidden]")) { find.value = ""; search(); target.scrollIntoView(); }
});
