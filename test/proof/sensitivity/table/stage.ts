import type { RoomProtections } from '../protection.ts'

const rooms: readonly RoomProtections[] = [
  {
    room: 'claim/stage',
    protections: [
      {
        file: 'decideConflict.ts',
        protects: 'a run is not given up before its time',
        text: 'run.giveUpAt <= now &&',
      },
      {
        file: 'decideConflict.ts',
        protects: 'a run is not given up while an attempt may run',
        text: '.every((entry) => leaseOf(entry) <= now)',
        without: '.every(() => true)',
      },
      {
        file: 'decideConflict.ts',
        protects: 'only the newest of the requests that wait goes on waiting',
        text: "record.waiting === version ? busy(run) : { kind: 'over', as: 'coalesced' }",
        without: 'busy(run)',
      },
      {
        file: 'decideConflict.ts',
        protects: 'a run with effects to undo is not replaced in one write',
        text: 'request.undoPlan !== undefined && hasToUndo(run)',
        without: 'false',
        tests: ['test/features/undo/supersede'],
      },
      {
        file: 'decideEntry.ts',
        protects: 'a message that no stage has sent is refused',
        text: "entry?.status !== 'settled' && isUnsent(run.stages, request)",
        without: 'false',
      },
      {
        file: 'decideEntry.ts',
        protects: 'a live lease of a stage is respected',
        text: '!mine && entry.leaseUntil > now',
        without: 'false',
      },
      {
        file: 'decideEntry.ts',
        protects: 'a stage that is being dead-lettered is left to the attempt that does so',
        text: 'if (entry.leaseUntil > now) return',
        without: 'if (false) return',
      },
      {
        file: 'decideEntry.ts',
        protects: 'executions of a stage are limited',
        text: 'if (entry.attempt >= request.maxAttempts)',
        without: 'if (false)',
      },
      {
        file: 'decideEntry.ts',
        protects: 'a stage begins only when the one that sent its message has settled',
        text: 'if (!expired && isEarly(run, request))',
        without: 'if (false)',
      },
      {
        file: 'decideEntry.ts',
        protects: 'only the dead letter of the last death revives a stage',
        text: 'if (request.death !== entry.epoch)',
        without: 'if (false)',
      },
      {
        file: 'decideEntry.ts',
        protects: 'a retry of a stage does not begin before its time',
        text: 'if (!ends && entry.notBefore > now)',
        without: 'if (false)',
      },
      {
        file: 'decideEntry.ts',
        protects: 'a request whose effects are undone is not redriven',
        text: 'if (deadRun?.undo !== undefined)',
        without: 'if (false)',
      },
      {
        file: 'decideEntry.ts',
        protects: 'a redrive does not replace a newer request',
        text: 'if (isOutdated(record, request))',
        without: 'if (false)',
      },
      {
        file: 'decideEntry.ts',
        protects: 'a run that was reopened and has ended is not reopened again',
        text: 'if (deadRun.reopened === REOPENED_RUN_ENDED)',
        without: 'if (false)',
      },
      {
        file: 'decideEntry.ts',
        protects: 'the dead stage that sent a message is redriven before its receiver',
        text: 'if (isAhead(deadRun, request))',
        without: 'if (false)',
      },
      {
        file: 'decideEntry.ts',
        protects: 'a dead stage is reopened only by its own dead letter',
        text: "entry.status === 'dead' && entry.epoch === request.death",
        without: "entry.status === 'dead'",
      },
      {
        file: 'decideStage.ts',
        protects: 'a later stage claims within the run that sent it',
        text: 'run.reopened || record.epoch === request.epoch',
        without: 'true',
      },
      {
        file: 'decideStage.ts',
        protects: 'no stage begins in a run that is being ended',
        text: 'return record && endOfFenced(record)',
        without: 'return undefined',
      },
      {
        file: 'decideStage.ts',
        protects: 'a flow whose option order was changed runs nothing on old records',
        text: 'if (isOfOtherOrder(record, request))',
        without: 'if (false)',
      },
      {
        file: 'decideStage.ts',
        protects: 'a request that was dropped does not run later',
        text: 'record.dropped.includes(digestOf(request.uniqueRequestId))',
        without: 'false',
      },
      {
        file: 'decideStage.ts',
        protects: 'an older request does not run after a newer one',
        text: "version < newest ? 'stale' : undefined",
        without: 'undefined',
      },
      {
        file: 'decideStage.ts',
        protects: 'a request that may have left the record is looked up',
        text: "mayHaveLeft && known === undefined ? 'ask' : undefined",
        without: 'undefined',
      },
      {
        file: 'decideStage.ts',
        protects: 'another payload under the same id is a conflict',
        text: '!isSamePayload(before, request.payload)',
        without: 'false',
      },
      {
        file: 'decideStage.ts',
        protects: 'an older request does not start before one that waits',
        text: "isBarred(record, request) ? { kind: 'over', as: 'coalesced' } :",
      },
      {
        file: 'decideStage.ts',
        protects: 'two flows of one name do not share a record',
        text: "if (isOfNamesake(record, request, verdict)) return { kind: 'refuse', because: 'name' }",
      },
      {
        file: 'decideEntry.ts',
        protects: 'a run whose record was lost is not begun again',
        text: 'return young && (record?.epoch ?? 0) < Math.max(seen, death)',
        without: 'return false',
      },
      {
        file: 'requestHistory.ts',
        protects: 'a history that was read before the last start decides nothing',
        text: 'return known?.epoch === (record?.epoch ?? 0) ? known : undefined',
        without: 'return known',
      },
      {
        file: 'decideConflict.ts',
        protects: 'who waits or is dropped is written only as it was judged',
        text: "[{ field: 'epoch', is: '=', value: record.epoch }, { exists: 'uniquerequestid' }]",
        without: '[]',
      },
      {
        file: 'decideConflict.ts',
        protects: 'more than one dropped request is remembered',
        text: 'const DROPPED = 16',
        without: 'const DROPPED = 1',
      },
      {
        file: 'version.ts',
        protects: 'versions sort like times',
        text: ".padStart(DIGITS, '0')",
      },
      {
        file: 'decideStage.ts',
        protects: 'another payload of a flow under a computed id is not dropped without a word',
        text: 'isOtherPayload(before, request.payload) ?',
        without: 'false ?',
        tests: ['test/claim/stage'],
      },
    ],
  },
]

export default rooms
