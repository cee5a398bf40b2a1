import { type FakeClock, fakeClock } from '../../../src/testing/fakeClock.ts'
import { microtasksDrained } from '../../../src/testing/crashes/runtime/timers.ts'
import { type Operation, openBook } from './book.ts'
import { openChance } from './chance.ts'
import { repeatable } from './repeatable.ts'
import { counter } from './worlds/counter.ts'
import { register } from './worlds/register.ts'
import { stage } from './worlds/stage.ts'
import { token } from './worlds/token.ts'
import { openWorld, type Part, type World } from './world.ts'

/** So many operations before everything is left to end, and in all. */
const BEFORE_REST = 85
const LEAST = 200
/** What each part reads in the end. */
const READS = 12
/** No run needs as many steps. */
const MOST_STEPS = 20_000
/** More of them at once, and most would wait for each other. */
const MOST_WAITING = 8

/** The history of one run, the same for one seed. */
export async function play(seed: number): Promise<readonly Operation[]> {
  const clock = fakeClock(Date.UTC(2026, 0, 1))
  return repeatable(seed, clock, () => playAt(clock, seed))
}

async function playAt(clock: FakeClock, seed: number): Promise<readonly Operation[]> {
  const book = openBook(`memory-${seed}`)
  const chance = openChance(seed)
  const parts = [counter(), register(), token(), stage('every'), stage('newest')]
  const world = openWorld({ parts, book, chance, clock })
  for (let step = 0; book.operations().length < BEFORE_REST; step += 1) {
    if (step > MOST_STEPS) throw new Error(`seed ${seed}: too few operations`)
    await microtasksDrained()
    takeStep(world, parts)
  }
  world.lives.calm()
  await rest(world, parts, seed)
  for (let nth = 0; nth < READS || book.operations().length < LEAST; nth += 1) {
    for (const part of parts) part.read(world)
  }
  return book.operations()
}

function takeStep(world: World, parts: readonly Part[]): void {
  const { chance, cloud, lives } = world
  const drawn = chance.below(1)
  const part = chance.of(parts)
  if (lives.waiting > 0 && (drawn < 0.6 || lives.waiting > MOST_WAITING)) {
    if (!lives.resume()) cloud.clock.advance(5_000)
  } else if (drawn < 0.78) {
    const queue = part.queues.length === 0 ? undefined : chance.of(part.queues)
    if (queue !== undefined && isReady(world, queue)) part.deliver(world, queue)
    else part.send(world)
  } else if (drawn < 0.86) part.send(world)
  else if (drawn < 0.95) part.read(world)
  else cloud.clock.advance(chance.of([100, 1_500, 1_500, 12_000, 31_000]))
}

function isReady({ cloud }: World, queue: string): boolean {
  return cloud.messages(queue).some(({ state }) => state === 'ready')
}

/** Without faults, until nothing is left to do. */
async function rest(world: World, parts: readonly Part[], seed: number): Promise<void> {
  const { cloud, lives } = world
  for (let step = 0; step < MOST_STEPS; step += 1) {
    await microtasksDrained()
    if (lives.resume()) continue
    const places = parts.flatMap((part) => part.queues.map((queue) => ({ part, queue })))
    const ready = places.find(({ queue }) => isReady(world, queue))
    if (ready !== undefined) {
      ready.part.deliver(world, ready.queue)
      continue
    }
    const times = places.flatMap(({ queue }) => cloud.messages(queue).map((each) => each.visibleAt))
    if (times.length === 0) return
    cloud.clock.set(Math.min(...times))
  }
  throw new Error(`seed ${seed}: messages are still redelivered`)
}
