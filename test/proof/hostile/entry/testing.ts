/** Replaces `lineclear/testing` in a hostile world. */
import { type FakeClock, fakeClock as calmClock } from '../../../../src/testing/fakeClock.ts'
import { type MemoryStore, memoryStore as calmStore } from '../../../../src/testing/memoryStore.ts'
import { storeInWorld } from '../storeInWorld.ts'
import { worldTime } from '../time.ts'

export * from '../../../../src/testing/index.ts'

export function memoryStore(): MemoryStore {
  return storeInWorld(calmStore())
}

export function fakeClock(start?: number): FakeClock {
  return worldTime(calmClock(start))
}
