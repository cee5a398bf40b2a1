import type { ProbableClaim } from '../../../../src/library/protocol/claim/stage/claimInRecord.ts'
import type { Condition, Update } from '../../../../src/library/protocol/store/store.ts'
import type { Mutation } from './mutation.ts'
import type { Removal } from './removals.ts'

/** The claim that is tried before a read, with another update. */
function trying(change: (update: Update) => Update): Removal {
  const changed = ({ verdict, write }: ProbableClaim): ProbableClaim =>
    write.kind === 'create'
      ? { verdict, write }
      : { verdict, write: { kind: 'update', update: change(write.update) } }
  return (protocol) => ({
    ...protocol,
    probableClaim: (claimant) => {
      const probable = protocol.probableClaim(claimant)
      return probable && changed(probable)
    },
  })
}

function without(name: string): Removal {
  const isKept = (condition: Condition): boolean =>
    !('field' in condition && condition.field === name) &&
    !('absent' in condition && condition.absent === name)
  return trying((update) => ({ ...update, where: update.where.filter(isKept) }))
}

export const UNREAD_MUTATIONS: readonly Mutation[] = [
  {
    name: 'unread: whether the sender has settled',
    removal: without('stage:A'),
    scenario: 'unread: stages overwrite one object',
    breaks: 'S3',
  },
  {
    name: 'unread: whether the stage has begun',
    removal: without('stage:B'),
    scenario: 'unread: handler errors',
    breaks: 'W1',
  },
  {
    name: 'unread: which request has the flow',
    removal: without('uniquerequestid'),
    scenario: 'unread: supersede',
    breaks: undefined,
    because: 'each run has an epoch of its own, until the record is lost',
  },
]
