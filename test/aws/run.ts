import { parseArgs } from 'node:util'
import { accountIn, refusalOf } from './account.ts'
import { removeAll } from './remove.ts'
import { rehearse } from './rehearse.ts'
import { runOnAws } from './onAws.ts'

const USAGE = `npm run aws -- --stage NAME --limit DOLLARS [--region REGION] [--yes] [--keep]

Deploys serverless.yml into your AWS account as the stack lineclear-NAME, compares AWS with what we assume of it, drives
the examples (everything sent twice, functions cut off and throttled, dead letters redriven and mended), compares the
books, says what AWS does otherwise, and removes everything: also after a failure, after Ctrl-C, and at the limit. It takes
about an hour. Tables and queues have the names that the examples read: take a Region in which none of them is.

  --stage NAME     run, and up to 12 of a-z 0-9, such as run1: no other stage is ever removed
  --limit DOLLARS  it stops when the run has cost as much by estimate. AWS knows later, and exactly: set a budget as well
  --region REGION  default: AWS_REGION
  --yes            does not ask before it deploys
  --keep           removes nothing
  --remove         only removes what an earlier run has left: --stage NAME --remove

npm run aws -- --rehearse [ministack]

  The same on this machine: the functions in this process on the local cloud, or deployed to MiniStack, which
  npm run referees -- --only-install ministack installs.`

const { values, positionals } = parse()

function parse() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        stage: { type: 'string', default: '' },
        limit: { type: 'string', default: '' },
        region: { type: 'string', default: process.env['AWS_REGION'] ?? '' },
        yes: { type: 'boolean', default: false },
        keep: { type: 'boolean', default: false },
        remove: { type: 'boolean', default: false },
        rehearse: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    })
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : 'not read'}\n\n${USAGE}`)
    return process.exit(2)
  }
}

const say = console.log
const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    if (stop.signal.aborted) say('It is being removed. Only SIGKILL leaves it as it is.')
    stop.abort(new Error(`stopped by ${signal}`))
  })
}

if (values.help) say(USAGE)
else process.exitCode = (await main()) ? 0 : 1
// Clients and engines keep connections.
process.exit()

async function main(): Promise<boolean> {
  if (values.rehearse) {
    const engine = positionals.includes('ministack') ? 'ministack' : 'local'
    return rehearse(engine, { stop: stop.signal, say })
  }
  const { stage, region, remove, yes, keep } = values
  const account = accountIn(region)
  const limit = Number(values.limit)
  const refused = await refusalOf({ account, stage, limit, remove })
  if (refused !== undefined) {
    console.error(`${refused}\n\n${USAGE}`)
    return false
  }
  if (!remove) return runOnAws({ account, stage, limit, yes, keep, stop: stop.signal, say })
  const left = await removeAll(account, stage)
  say(left.length === 0 ? 'Nothing is left.' : left.join('\n'))
  return left.length === 0
}
