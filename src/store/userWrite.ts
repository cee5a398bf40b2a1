import type { RawWrite, UserWrite } from './store.ts'

/** One that every store can carry out. */
export function isUserWrite(write: UserWrite | RawWrite): write is UserWrite {
  return !('raw' in write)
}
