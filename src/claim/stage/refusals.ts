import type { DeadLetterNotice, Death } from '../hold.ts'
import type { StageClaimRequest } from './stageClaim.ts'
import type { RefusalCode } from './verdict.ts'

export const ABANDONED = {
  reason: 'abandoned',
  error: 'its run was abandoned: it had not ended within its time limit (giveUpAfter)',
} as const

export function refusalOf(
  { refusal, request }: StageClaimRequest,
  because: RefusalCode,
): DeadLetterNotice {
  const why = because === 'rejected' ? refusal : WHY[because]
  return { ...why, death: request.death }
}

const WHY: Readonly<Record<Exclude<RefusalCode, 'rejected'>, Omit<DeadLetterNotice, 'death'>>> = {
  'too old': {
    reason: 'too old',
    error:
      'it arrived after its time limit (giveUpAfter), or so long after it that what belongs to its run is no longer kept: it was not run',
  },
  lost: {
    reason: 'lost record',
    error:
      'the stage record of its key is gone, or older than this message: restored from a backup, or deleted by hand. What its ' +
      'run has done is not known any more, so it was not run; start its request again once you know',
  },
  unsent: {
    reason: 'not handed on',
    error:
      'no stage of its run has sent to this stage: it was not run, and its run continues without it. It was sent by another ' +
      'sender, by an attempt that ended otherwise when it was repeated, or for a stage that was renamed (formerNames)',
  },
  conflict: {
    reason: 'conflict',
    error:
      'another payload came with its uniquerequestid before; this one was neither run nor dropped. If both are meant, send this ' +
      'one again under an id of its own',
  },
  order: {
    reason: 'order changed',
    error:
      "the flow had another order ('newest', 'every') when the record of its key began, and what that remembers of ended requests " +
      'cannot be read as the other one; it was not run, and a run that has the key waits for its messages. Set order back, deploy, ' +
      'and send this dead letter back. A flow that is to have another order needs another name',
  },
  name: {
    reason: 'conflict',
    error:
      'another function, which reads another queue, has run its key as the first stage of a flow of the same name on the same ' +
      'table; this one was neither run nor dropped. Give one of the two flows another name and send this message back to its ' +
      'queue. If both are to be one flow, set sharedName: true in both',
    unnamed: true,
  },
  busy: {
    reason: 'busy',
    error:
      'another request has its key: on a FIFO queue this dead letter would hold up the messages that the other one waits for. ' +
      'It was not run; send it back when the other request has ended',
  },
}

export function unknownStage(stage: string, name: string): Death {
  return {
    reason: 'unknown stage',
    error:
      `its run waits for a stage '${name}', which this definition of the flow does not know; it was not run, and its run has ` +
      `ended. If '${name}' is '${stage}' now, add formerNames: ['${name}'] to it and send this dead letter back`,
  }
}
