/** Replaces `lineclear/testing` in a hostile mode. */
import { type FakeClock, fakeClock as calmClock } from '../../../../src/testing/fakeClock.ts'
import {
  type MemoryStore,
  memoryStore as calmStore,
} from '../../../../src/library/adapters/store/memory/memoryStore.ts'
import { storeInMode } from '../storeInMode.ts'
import { modeTime } from '../time.ts'

export * from '../../../../src/testing/index.ts'

export function memoryStore(): MemoryStore {
  return storeInMode(calmStore())
}

export function fakeClock(start?: number): FakeClock {
  return modeTime(calmClock(start))
}
