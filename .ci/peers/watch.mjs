// Loaded before a program (node --import): counts what the server answered over HTTP, and
// has the program fail where that is a 5xx, or nothing at all.
import diagnostics from 'node:diagnostics_channel';

const answers = new Map();
diagnostics.subscribe('http.client.response.finish', ({ response }) => {
  answers.set(response.statusCode, (answers.get(response.statusCode) ?? 0) + 1);
});
process.on('exit', () => {
  const all = [...answers].sort(([a], [b]) => a - b);
  if (all.length === 0) return; // the runner, which asks for nothing itself
  console.log(`answers: ${all.map(([status, count]) => `${count} of ${status}`).join(', ')}`);
  if (all.some(([status]) => status >= 500)) {
    console.log('the server answered with 5xx');
    process.exitCode = 1;
  }
});
