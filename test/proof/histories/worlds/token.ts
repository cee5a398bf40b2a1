import { lockTokens } from '../../../../src/library/entries/call/lockTokens.ts'
import { type Life, storeOf } from '../lives.ts'
import { type Part, silent, type World } from '../world.ts'

const EXPECTED_MS = 10_000
/** What the documents add for differences between clocks. */
const MARGIN_MS = 5_000

/** Calls that the work makes. */
const STEPS = 3

/** Callers who want to do work once for each token; some die, some wake up late. */
export function token(): Part {
  return {
    queues: [],
    send(world) {
      const life = world.lives.begin()
      void hold(world, life, `token-${world.chance.integer(8)}`).catch(() => {
        // The table did not answer: nothing was done.
      })
    },
    deliver() {},
    read() {},
  }
}

async function hold(world: World, life: Life, key: string): Promise<void> {
  const { book, cloud, chance } = world
  const { client, clock } = life
  const shared = { model: 'token', key, client } as const
  const store = storeOf(life, cloud.store)
  const tokens = lockTokens<string>({ store, name: 'work', clock, logger: silent })
  const until = clock.now() + EXPECTED_MS + MARGIN_MS
  const begun = book.begin({ ...shared, input: { do: 'begin', at: clock.now(), until } })
  const lock = await tokens.begin(key, `client ${client}`, EXPECTED_MS)
  if (lock.existing !== undefined) {
    const { status, result = '' } = lock.existing
    return begun({ is: status, result })
  }
  begun({ is: 'claimed', fence: lock.fence })
  // The work: the process may stop here, and go on when others have taken over.
  for (let step = 0; step < STEPS; step += 1) {
    await life.lead(
      async () => {},
      () => {},
    )
  }
  const isRelease = chance.below(1) < 0.3
  const result = `result ${client}`
  const input = isRelease ? { do: 'release' } : { do: 'end', result }
  const ended = book.begin({ ...shared, input })
  const outcome = await (isRelease ? lock.release() : lock.endWithSuccess(result))
  if (outcome.kind !== 'failed') ended({ stored: outcome.kind === 'marked' })
}
