// Questions to the server.

export class Refusal extends Error {}

export async function ask(path, request = null, { signal } = {}) {
  const headers = { "content-type": "application/json" };
  let response;
  try {
    response = await fetch(path.slice(1), request ? { method: "POST", headers, body: JSON.stringify(request), signal } : { headers, signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refusal("The server does not answer. Is it still running?");
  }
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Refusal(answer.error ?? `The server answered ${response.status}.`);
  return answer;
}
