import { posix } from 'node:path'
import type { Protection, RoomProtections } from '../protection.ts'
import batch from './batch.ts'
import calls from './calls.ts'
import context from './context.ts'
import flow from './flow.ts'
import limits from './limits.ts'
import messages from './messages.ts'
import queues from './queues.ts'
import stage from './stage.ts'
import stageWrites from './stageWrites.ts'
import stores from './stores.ts'
import token from './token.ts'

export interface RoomProtection extends Protection {
  readonly room: string
  readonly roomTests: readonly string[]
}

/** All protections, with the paths of their files from the root. */
export const PROTECTIONS: readonly RoomProtection[] = [
  token,
  stage,
  stageWrites,
  flow,
  batch,
  context,
  limits,
  messages,
  queues,
  stores,
  calls,
].flatMap((rooms) => rooms.flatMap(inRoom))

function inRoom({ room, tests, protections }: RoomProtections): readonly RoomProtection[] {
  const roomTests = tests ?? [`test/${room}`]
  return protections.map((each) => ({
    ...each,
    room,
    roomTests,
    file: posix.join('src', room, each.file),
  }))
}
