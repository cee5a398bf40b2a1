import { optionWord, shellWord } from '../operator/text/commandLine.ts'
import { type AnswerFate, type CompletePlan, followAnswer } from '../operator/plan/planAwaits.ts'
import type { Made } from './change.ts'
import type { Io } from './command.ts'
import { withReceipt } from './runPlan.ts'

/** What has become of the answer that was sent, or that it is still on its way after `wait` milliseconds. */
export async function followedAnswer(
  { sent, id }: Extract<CompletePlan, { readonly kind: 'change' }>,
  wait: number,
  io: Io,
): Promise<Made> {
  const progress = io.progress('waiting for the function of the step')
  try {
    const fate = await followAnswer(io.store(), io.clock, sent, wait, (waited) =>
      progress.at(waited, wait),
    )
    return madeOf(fate, sent.id, id, io)
  } finally {
    progress.end()
  }
}

/** Otherwise `status` would show an answer that is no longer needed. */
const NOT_NEEDED = 'Its dead letter is not needed any more:'

function madeOf(
  { kind: fate, why }: AnswerFate,
  message: string,
  of: string,
  { change }: Io,
): Made {
  const made = { outcome: fate, because: why, ...withReceipt(RECEIPTS[fate], { message }) }
  const discard = `lineclear dlq discard --all ${optionWord('--id', message)}`
  switch (fate) {
    case 'taken':
      return {
        ...made,
        said: `Done: the step has taken the answer. Recorded as done by ${change.by}.`,
      }
    case 'sent': {
      const said =
        'Sent, and not taken yet: the function of the step is busy, paused or failing, or is of an older version. Look again with:'
      return { ...made, said, next: `lineclear explain ${shellWord(of)}` }
    }
    case 'refused': {
      const said = `Refused by the step's function, and dead-lettered; the step still waits: ${why ?? ''} To answer it: run the command again with an answer that is accepted. ${NOT_NEEDED}`
      return { ...made, said, next: discard }
    }
    case 'conflict': {
      const said = `Not accepted: another answer was counted for this external id. This one is dead-lettered as a conflict. ${NOT_NEEDED}`
      return { ...made, said, next: discard }
    }
    case 'late': {
      const said =
        'Not accepted: the step was complete without this answer, or timed out first. It is dropped, or given to onLate.'
      return { ...made, said }
    }
    case 'superseded':
      return { ...made, said: 'Not accepted: the run has ended since. The answer is dropped.' }
  }
}

/** As the outside system would get them. */
const RECEIPTS: Readonly<Partial<Record<AnswerFate['kind'], string>>> = {
  taken: 'accepted',
  conflict: 'conflict',
  late: 'late',
  superseded: 'superseded',
}
