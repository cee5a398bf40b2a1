import { resolve } from 'node:path'
import { INCIDENTS } from './incidents.ts'
import { openSite, TABLE } from './site.ts'

/** `node --conditions=lineclear:source test/documents/oncall/world.ts N`: something is wrong, until Ctrl-C. */
const given = process.argv[2] ?? ''
const incident = /^\d+$/.test(given) ? INCIDENTS[Number(given) - 1] : undefined
if (incident === undefined) {
  process.stderr.write(`Give the number of a world, from 1 to ${INCIDENTS.length}.\n`)
  process.exit(2)
}
const ended = new Promise((end) => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, end)
})
process.stdout.write('A world is made, and something is broken in it …\n')
const site = await openSite()
await incident.plant(site)
const variables = {
  ...site.cloud.environment,
  AWS_ENDPOINT_URL_LAMBDA: site.lambda.endpoint,
  LINECLEAR_TABLE: TABLE,
}
const cli = resolve(import.meta.dirname, '../../../src/tools/cli/main.ts')
process.stdout.write(`
${incident.question}

In another terminal, as in an account:

${Object.entries(variables)
  .map(([name, value]) => `export ${name}=${value}`)
  .join('\n')}
lineclear() { node --conditions=lineclear:source '${cli}' "$@"; }

The log of all functions: ${site.log}
The manual: src/tools/README.md
It ends with Ctrl-C.
`)
await ended
await site.stop()
