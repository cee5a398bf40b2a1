import type { Token } from '../lock/token.ts'
import { isAtEnd } from '../stage/stageEntry.ts'
import type { StageRecord } from '../stage/stageRecord.ts'
import { inDoubt } from './planTokens.ts'
import { liveUntil } from './task.ts'

/** The commands that may help, with what has to be known first. */
export function adviseToken(token: Token, id: string, now: number): readonly string[] {
  const { status, leaseUntil } = token
  if (status === 'complete') return []
  if (status === 'unknown' || status === 'error') {
    const [call] = inDoubt(token)
    const known =
      call === undefined
        ? []
        : [
            `the call '${call}' was made, the rest was not: lineclear tokens reopen ${id} --answer ${call}=JSON`,
          ]
    return [
      `next: look at the other side. All of it was done: lineclear tokens resolve ${id}`,
      ...known,
      `it was not done: lineclear tokens release ${id}; it may run again: lineclear tokens reopen ${id}`,
    ]
  }
  if (leaseUntil > now || token.notBefore > now) return ['next: nothing, it goes on by itself']
  return [
    `next: if its message is gone, send it again; or lineclear tokens resolve ${id}, if it was done`,
  ]
}

export function adviseRecord(record: StageRecord, id: string, now: number): readonly string[] {
  const { run } = record
  if (run === undefined || liveUntil(run) > now) return []
  if (run.giveUpAt <= now) {
    return [
      'next: its time is over. lineclear sweep frees the key, and keeps the request for a redrive',
    ]
  }
  const open = [...run.stages].filter(([, entry]) => !isAtEnd(entry))
  return open.length === 0
    ? []
    : [`next: its messages go on with it. If they are gone: lineclear flow reset ${id}`]
}
