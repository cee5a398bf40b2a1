import type { RoomProtections } from '../protection.ts'

const rooms: readonly RoomProtections[] = [
  {
    room: 'claim/stage',
    protections: [
      {
        file: 'stageRecord.ts',
        protects: 'a write to a run requires the request that has the key',
        text: "{ field: 'uniquerequestid', is: '=', value: run.uniqueRequestId },",
      },
      {
        file: 'claimWrite.ts',
        protects: 'a claim replaces the entry that was judged',
        text: 'sameFence(record), asJudged]',
        without: 'sameFence(record)]',
      },
      {
        file: 'claimWrite.ts',
        protects: 'a start replaces the record that was judged',
        text: "return [{ field: 'epoch', is: '=', value: record.epoch }, sameFence(record)]",
        without: 'return []',
      },
      {
        file: 'claimWrite.ts',
        protects: 'the fences of a key whose record was deleted go on above those before',
        text: 'request.first?.fence ?? 0',
        without: '0',
      },
      {
        file: 'claimWrite.ts',
        protects: 'the newest version is never lowered',
        text: 'newest: later(record?.newest, version)',
        without: 'newest: version',
      },
      {
        file: 'claimWrite.ts',
        protects: 'a new run does not inherit the marks of effects',
        text: "'applied', 'restored',",
      },
      {
        file: 'claimWrite.ts',
        protects: 'a redriven run keeps the marks of its dead attempts',
        text: 'restored: JSON.stringify([...deadRun.marks]),',
        without: "restored: '[]',",
      },
      {
        file: 'claimWrite.ts',
        protects: 'each claim of a stage raises the fence',
        text: 'fence: record.fence + 1, [field]',
        without: 'fence: record.fence, [field]',
      },
      {
        file: 'claimWrite.ts',
        protects: 'effects that are recorded while a newer request starts are undone',
        text: '? [] : [UNMARKED]',
        without: '? [] : []',
      },
      {
        file: 'heldStage.ts',
        protects: 'every write of an attempt requires that it still has the stage',
        text: "[...sameRun(record, run), { field: STAGE + stage, is: '=', value: writeEntry(entry) }]",
        without: 'sameRun(record, run)',
      },
      {
        file: 'heldStage.ts',
        protects: 'a mark that another attempt has set proves nothing',
        text: '(mine && marks instanceof Set',
        without: '(marks instanceof Set',
      },
      {
        file: 'heldStage.ts',
        protects: 'a later run of the same request is not taken for the own one',
        text: '!same || record.epoch !== held.record.epoch',
        without: '!same',
      },
      {
        file: 'heldStage.ts',
        protects: 'an effect of a stage is refused when its mark is set',
        text: "where: [...stageOwnedBy(held), { field: 'applied', lacks: member }]",
        without: 'where: stageOwnedBy(held)',
      },
      {
        file: 'heldStage.ts',
        protects: 'marks of two stages are kept apart',
        text: 'return `${stage}:${name}`',
        without: 'return name',
      },
      {
        file: 'stageHold.ts',
        protects: 'a call that was begun is not begun again',
        text: "if (state.kind === 'inDoubt') return STARTED",
      },
      {
        file: 'stageHold.ts',
        protects: 'a redriven run looks for the results of its dead attempts',
        text: 'return first && !held().run.reopened',
        without: 'return first',
      },
      {
        file: 'abandonRun.ts',
        protects: 'a run lasts until all stages that were sent a message have ended',
        text: '[...stages.keys(), ...expected]',
        without: '[...stages.keys()]',
      },
      {
        file: 'abandonRun.ts',
        protects: 'a run with a dead stage ends as dead',
        text: "entries.some(({ status }) => status === 'dead')",
        without: 'false',
      },
      {
        file: 'endAttempt.ts',
        protects: 'two stages that settle at once do not both leave the end to the other',
        text: '[...stageOwnedBy(held), join.because]',
        without: 'stageOwnedBy(held)',
      },
      {
        file: 'endAttempt.ts',
        protects: 'only the holder of a stage ends the run with it',
        text: 'closing, stageOwnedBy(held))',
        without: 'closing)',
      },
      {
        file: 'endAttempt.ts',
        protects: 'a dead run with effects to undo is fenced before it ends',
        text: "if (as === 'dead' && hasToUndo(run))",
        without: 'if (false)',
        tests: ['test/features/undo/dead'],
      },
      {
        file: 'endAttempt.ts',
        protects: 'an attempt of a stage that was not started does not count',
        text: 'attempt: entry.attempt - 1',
        without: 'attempt: entry.attempt',
      },
      {
        file: 'endAttempt.ts',
        protects: 'a retry is written by the holder of the stage',
        text: 'where: stageOwnedBy(held), set',
        without: 'where: [], set',
      },
      {
        file: 'endRun.ts',
        protects: 'a reset ends the run that was judged',
        text: 'where: [...sameRun(record, run), sameFence(record), ...own]',
        without: 'where: [...own]',
      },
      {
        file: 'endRun.ts',
        protects: 'ended requests are remembered when they leave the record',
        text: 'remember: spills ? record.ended.map((one) => endedRequest(record, one, ttl, now)) : []',
        without: 'remember: []',
      },
      {
        file: 'endRun.ts',
        protects: 'the end of a request is final, unless it is dead',
        text: 'where: [mayChange], set: content',
        without: 'where: [], set: content',
      },
      {
        file: 'deadRun.ts',
        protects: 'a late write does not replace what a later attempt has kept',
        text: 'update: { key, where: [older]',
        without: 'update: { key, where: []',
      },
      {
        file: 'deadRun.ts',
        protects: 'a dead run is redriven or undone, never both',
        text: "{ absent: 'undo' },",
      },
      {
        file: 'writeEnding.ts',
        protects: 'a run is reset only when all that has to be known later is written',
        text: 'if (failed !== undefined) return failed',
      },
      {
        file: 'abandonRun.ts',
        protects: 'a stage that has settled meanwhile is not given up',
        text: '...asJudged,',
      },
      {
        file: 'abandonRun.ts',
        protects: 'a run that has time left, or an attempt that may run, is kept',
        text: "if (!mayAbandon(run, closing.now)) return { kind: 'keep' }",
      },
    ],
  },
]

export default rooms
