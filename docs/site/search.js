// Stands at the head of the search worker: questions are asked by their content words. Every word of a query stands for all
// words that begin with it, so that "i" and "do" of "how do I load vectors" would outweigh "load".
const COMMON = new Set(("a about all also am an and any are as at be been but by can could did do does for from get gets got had has have he " +
  "her his how i if in into is it its just like make makes me my need of on or our own please she should so some than that the their " +
  "them then there these they this to us use used using want was way we were what when where which who why will with would you your").split(" "));
self.addEventListener("message", (event) => {
  if (event.data.type !== 2) return; // SearchMessageType.QUERY
  const words = event.data.data.split(/[\s?]+/).filter((word) => word && !COMMON.has(word.toLowerCase()));
  if (words.length) event.data.data = words.map((word) => (/^\w{4,}s$/.test(word) ? word.slice(0, -1) : word)).join(" ");
});
