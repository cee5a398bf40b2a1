import { Readable } from 'node:stream'
import { runCli } from '../../../src/tools/cli/runCli.ts'
import type { OverviewAnswer } from '../../../src/tools/console/app/answers.ts'
import {
  headline,
  sortFindings,
  toneOfAll,
} from '../../../src/tools/console/app/overview/findings.ts'
import { FakeMappings } from '../../tools/operator/fakeMappings.ts'
import { accessDenied } from './answerInstead.ts'
import { plantQueues } from './plantQueues.ts'
import { plantTable } from './plantTable.ts'
import type { World } from './world.ts'

/** What an operator sees of a world. */
export interface Seen {
  readonly code: number
  readonly text: readonly string[]
  readonly errors: readonly string[]
  readonly json: Pick<OverviewAnswer, 'findings' | 'unread' | 'queues' | 'searched'>
  /** undefined: status has failed. */
  readonly console: { readonly headline: string; readonly tone: string } | undefined
  readonly codeOfJson: number
  /** Queues with letters that status has not given back. */
  readonly held: readonly string[]
}

/** `lineclear status` on a world, as text, as JSON and as the console's overview. */
export async function look(world: World): Promise<Seen> {
  const clock = clockFrom(world.now)
  const dynamodb = await plantTable(world)
  const still: string[] = []
  const mappings = mappingsOf(world)
  const run = async (...args: readonly string[]) => {
    clock.set(world.now)
    const { sqs, held } = plantQueues(world, clock.now)
    const out: string[] = []
    const err: string[] = []
    const code = await runCli(['status', ...args], {
      out: (line) => void out.push(line),
      err: (line) => void err.push(line),
      terminal: { write: () => {} },
      stdin: Readable.from([]),
      width: undefined,
      env: { LINECLEAR_TABLE: 'lineclear' },
      cwd: '/',
      clock,
      user: () => 'ann',
      version: () => '1.2.3',
      dynamodb,
      sqs,
      mappings,
    })
    still.push(...held())
    sqs.destroy()
    return { code, out, err }
  }
  const text = await run()
  const json = await run('--json')
  const answer = JSON.parse(json.out.join('\n')) as OverviewAnswer
  dynamodb.destroy()
  return {
    code: text.code,
    text: text.out,
    errors: text.err,
    json: answer,
    console: json.code === 3 ? undefined : overviewOf(answer),
    codeOfJson: json.code,
    held: still,
  }
}

export function overviewOf(answer: Pick<OverviewAnswer, 'findings' | 'unread'>) {
  const sorted = sortFindings(answer.findings, undefined)
  const of = answer as OverviewAnswer
  return { headline: headline(sorted, of), tone: toneOfAll(sorted, of) }
}

/** Who sleeps is awake at once, and it is later then. */
function clockFrom(start: number) {
  let time = start
  return {
    now: () => time,
    set: (to: number) => {
      time = to
    },
    sleep: async (milliseconds: number) => {
      const until = time + milliseconds
      await Promise.resolve()
      time = Math.max(time, until)
    },
  }
}

function mappingsOf({ mappings, denied }: World): FakeMappings {
  const fake = new FakeMappings(
    ...mappings.map(({ queue, function: name, state, result }, at) => ({
      UUID: `uuid-${queue}-${at}`,
      EventSourceArn: `arn:aws:sqs:us-east-1:000000000000:${queue}`,
      FunctionArn: `arn:aws:lambda:us-east-1:000000000000:function:${name}`,
      State: state,
      LastProcessingResult: result,
    })),
  )
  if (denied.has('mappings')) {
    fake.listEventSourceMappings = async () => {
      throw accessDenied('lambda:ListEventSourceMappings')
    }
  }
  return fake
}
