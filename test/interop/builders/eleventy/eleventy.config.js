export default function (eleventy) {
  eleventy.addPassthroughCopy("site.css");
}
