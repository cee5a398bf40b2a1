import { SQSClient } from '@aws-sdk/client-sqs'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { runCli } from '../../../src/tools/cli/runCli.ts'
import { systemClock } from '../../../src/library/base/clock.ts'

// One command of an operator, which kills itself with SIGKILL when the nth of its calls to AWS is answered.
const [killAt = '', ...args] = process.argv.slice(2)
let calls = 0
const sqs = new SQSClient({ useQueueUrlAsEndpoint: false })
const dynamodb = new DynamoDBClient({})
const kill = (): void => {
  process.kill(process.pid, 'SIGKILL')
}
type Next = (call: { input: object }) => Promise<unknown>
const killed = (next: Next) => async (call: { input: object }) => {
  calls += 1
  const nth = calls
  // What a killed command holds is visible again after a second, and not after a minute.
  const shorter = 'VisibilityTimeout' in call.input ? { VisibilityTimeout: 1 } : {}
  const answer = await next({ ...call, input: { ...call.input, ...shorter } })
  if (nth === Number(killAt)) kill()
  return answer
}
sqs.middlewareStack.add(killed as never, { step: 'initialize' })
dynamodb.middlewareStack.add(killed as never, { step: 'initialize' })
process.exitCode = await runCli(args, {
  out: (line) => void process.stdout.write(`${line}\n`),
  err: (line) => void process.stderr.write(`${line}\n`),
  terminal: { write: () => {} },
  stdin: process.stdin,
  width: undefined,
  env: {},
  cwd: process.cwd(),
  clock: systemClock,
  user: () => 'ann',
  version: () => '1.2.3',
  sqs,
  dynamodb,
})
process.stdout.write(
  `calls ${calls}, at most ${Math.round(process.resourceUsage().maxRSS / 1_024)} MB\n`,
)
