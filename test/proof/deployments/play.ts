import { deadLetterQueueName } from '../../../src/testing/queues/description.ts'
import type { SimulatedMessage } from '../../../src/testing/queues/simulatedQueue.ts'
import { copyBack, redrive, type Way } from './redrive.ts'
import { type Code, openRig, type Rig } from './rig.ts'

/** When the dead letters are redriven: to the old code, while old and new code run side by side, or to the new code. */
const MOMENTS = ['before', 'during', 'after'] as const
export type Moment = (typeof MOMENTS)[number]

/**
 * `twice`: each dead letter is redriven a second time beside the first. `repeated`: the sender sends the request again
 * before the dead letter comes; `crossed`: after it. `overtaken`, `followed`: a newer request for the same object comes before
 * the dead letter, or after it.
 */
const TWISTS = ['plain', 'twice', 'repeated', 'crossed', 'overtaken', 'followed'] as const
export type Twist = (typeof TWISTS)[number]

const WAYS: readonly Way[] = ['ours', 'native']

/** The versions that are deployed one after the other; the last one stays. An earlier one handles this many deliveries. */
export interface Deployment {
  readonly codes: readonly { readonly code: Code; readonly deliveries?: number }[]
  /** Time that passes before the last of them, milliseconds. */
  readonly pause?: number
  /** The same message again is another request for the last code: no copies are sent at the end. */
  readonly renames?: boolean
}

export interface Scenario {
  readonly moment: Moment
  readonly way: Way
  readonly twist: Twist
}

/** Each moment with each way and each twist; beside the old code a way for each twist. */
const ALL: readonly Scenario[] = MOMENTS.flatMap((moment, m) =>
  WAYS.flatMap((way, w) =>
    TWISTS.filter((_twist, t) => moment === 'after' || (m + w + t) % 2 === 0).map((twist) => ({
      moment,
      way,
      twist,
    })),
  ),
)
/** With these twists alone. */
export function scenariosWith(...twists: readonly Twist[]): readonly Scenario[] {
  return ALL.filter(({ twist }) => twists.includes(twist))
}

export type Which = 'first' | 'again' | 'rival'

export interface Script {
  readonly scenarios: readonly Scenario[]
  deploy(rig: Rig): Deployment
  /** The request, the same request again, or a newer one for the same object. */
  request(rig: Rig, which: Which): void
  /** @returns what is wrong, in words */
  judge(rig: Rig, scenario: Scenario): readonly string[]
}

const DEEP = process.env['LINECLEAR_DEPLOYMENTS'] === 'deep'
const SAMPLE = 4

/**
 * Every fourth scenario, from the `nth` on, so that neighbouring scripts play all of them; LINECLEAR_DEPLOYMENTS=deep: each.
 * @returns by scenario what is wrong at the end, and how it came about
 */
export async function playSome(
  script: Script,
  nth: number,
): Promise<Readonly<Record<string, readonly string[]>>> {
  const wrong: Record<string, readonly string[]> = {}
  const scenarios = script.scenarios.filter((_, index) => DEEP || (index + nth) % SAMPLE === 0)
  for (const scenario of scenarios) {
    const found = await play(script, scenario)
    if (found.length > 0) wrong[Object.values(scenario).join(', ')] = found
  }
  return wrong
}

async function play(script: Script, scenario: Scenario): Promise<readonly string[]> {
  const { moment, way, twist } = scenario
  const rig = openRig()
  const { codes, pause = 0, renames = false } = script.deploy(rig)
  const last = codes.at(-1)?.code
  const before = codes.at(-2)?.code
  if (last === undefined || before === undefined) throw new Error('a deployment has two codes')
  const wrong: string[] = []
  const sendBack = async (): Promise<void> => {
    remember(rig, messages)
    if (twist === 'twice') copyBack(rig, rig.dead())
    if (twist === 'repeated') script.request(rig, 'again')
    if (twist === 'overtaken') script.request(rig, 'rival')
    if (rig.dead().length > 0) await redrive(rig, way)
    if (twist === 'crossed') script.request(rig, 'again')
    if (twist === 'followed') script.request(rig, 'rival')
  }
  const messages: SimulatedMessage[] = []
  const run = async (...by: readonly Code[]): Promise<void> => {
    if (!(await rig.drain(by))) wrong.push('it goes round in a circle')
  }
  script.request(rig, 'first')
  for (const { code, deliveries } of codes.slice(0, -1)) {
    rig.trace.push('-- deployed')
    await rig.drain([code], deliveries)
  }
  rig.advance(pause)
  if (moment !== 'after') {
    await sendBack()
    await (moment === 'before' ? run(before) : run(before, last))
  }
  rig.trace.push('-- deployed: the last one')
  if (moment === 'after') await sendBack()
  await run(last)
  for (let times = 0; times < 3 && rig.dead().length > 0; times++) {
    remember(rig, messages)
    await redrive(rig, way)
    await run(last)
  }
  if (!renames) {
    rig.trace.push('-- everything again')
    comeAgain(rig, messages)
    await run(last)
  }
  return [...wrong, ...script.judge(rig, scenario)].flatMap((line, index) =>
    index === 0 ? [line, ...rig.trace] : [line],
  )
}

function remember(rig: Rig, messages: SimulatedMessage[]): void {
  messages.push(...rig.dead().filter((queued) => !messages.includes(queued)))
}

/** SQS delivers at least once; and an operator who kept old dead letters redrives them again. */
function comeAgain(rig: Rig, messages: readonly SimulatedMessage[]): void {
  const now = rig.clock.now()
  for (const [name, queue] of rig.queues.all()) {
    if (name === deadLetterQueueName(name)) continue
    for (const queued of queue.delivered) {
      if (!queue.messages.includes(queued)) queue.messages.push({ ...queued, visibleAt: now })
    }
  }
  const still = rig.dead()
  copyBack(
    rig,
    messages.filter(
      (queued) => !still.some(({ id }) => id === queued.id) && !rig.queues.moved.has(queued),
    ),
  )
}
