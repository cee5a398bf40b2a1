import { deadLettersOf } from '../../../src/testing/queues/arns.ts'
import type { Letter } from '../../../src/testing/queues/sqs.ts'
import { copyBack, redrive, type Way } from './redrive.ts'
import { type Code, openWorld, type World } from './world.ts'

/** When the dead letters are sent back: to the old code, while old and new code run side by side, or to the new code. */
const MOMENTS = ['before', 'during', 'after'] as const
export type Moment = (typeof MOMENTS)[number]

/**
 * `twice`: each dead letter is sent back a second time beside the first. `repeated`: the sender sends the request once more
 * before the dead letter comes; `crossed`: after it. `overtaken`, `followed`: a newer request for the same object comes before
 * the dead letter, or after it.
 */
const TWISTS = ['plain', 'twice', 'repeated', 'crossed', 'overtaken', 'followed'] as const
export type Twist = (typeof TWISTS)[number]

const WAYS: readonly Way[] = ['ours', 'native']

/** The codes that are deployed one after the other; the last one stays. Of an earlier one: how many deliveries it lives for. */
export interface Deployment {
  readonly codes: readonly { readonly code: Code; readonly deliveries?: number }[]
  /** Time that passes before the last of them, milliseconds. */
  readonly pause?: number
  /** The same message once more is another request for the last code: no copies are sent at the end. */
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
  deploy(world: World): Deployment
  /** The request, the same request once more, or a newer one for the same object. */
  request(world: World, which: Which): void
  /** @returns what is wrong, in words */
  judge(world: World, scenario: Scenario): readonly string[]
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
  const world = openWorld()
  const { codes, pause = 0, renames = false } = script.deploy(world)
  const last = codes.at(-1)?.code
  const before = codes.at(-2)?.code
  if (last === undefined || before === undefined) throw new Error('a deployment has two codes')
  const wrong: string[] = []
  const sendBack = async (): Promise<void> => {
    remember(world, letters)
    if (twist === 'twice') copyBack(world, world.dead())
    if (twist === 'repeated') script.request(world, 'again')
    if (twist === 'overtaken') script.request(world, 'rival')
    if (world.dead().length > 0) await redrive(world, way)
    if (twist === 'crossed') script.request(world, 'again')
    if (twist === 'followed') script.request(world, 'rival')
  }
  const letters: Letter[] = []
  const run = async (...by: readonly Code[]): Promise<void> => {
    if (!(await world.drain(by))) wrong.push('it goes round in a circle')
  }
  script.request(world, 'first')
  for (const { code, deliveries } of codes.slice(0, -1)) {
    world.trace.push('-- deployed')
    await world.drain([code], deliveries)
  }
  world.advance(pause)
  if (moment !== 'after') {
    await sendBack()
    await (moment === 'before' ? run(before) : run(before, last))
  }
  world.trace.push('-- deployed: the last one')
  if (moment === 'after') await sendBack()
  await run(last)
  for (let times = 0; times < 3 && world.dead().length > 0; times++) {
    remember(world, letters)
    await redrive(world, way)
    await run(last)
  }
  if (!renames) {
    world.trace.push('-- everything once more')
    comeAgain(world, letters)
    await run(last)
  }
  return [...wrong, ...script.judge(world, scenario)].flatMap((line, index) =>
    index === 0 ? [line, ...world.trace] : [line],
  )
}

function remember(world: World, letters: Letter[]): void {
  letters.push(...world.dead().filter((letter) => !letters.includes(letter)))
}

/** SQS delivers at least once; and whoever kept old dead letters sends them back once more. */
function comeAgain(world: World, letters: readonly Letter[]): void {
  const now = world.clock.now()
  for (const [name, queue] of world.office.all()) {
    if (name === deadLettersOf(name)) continue
    for (const letter of queue.delivered) {
      if (!queue.letters.includes(letter)) queue.letters.push({ ...letter, visibleAt: now })
    }
  }
  const still = world.dead()
  copyBack(
    world,
    letters.filter(
      (letter) => !still.some(({ id }) => id === letter.id) && !world.office.moved.has(letter),
    ),
  )
}
