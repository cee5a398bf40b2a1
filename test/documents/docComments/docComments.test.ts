import { describe, expect, it } from 'vitest'
import { publicDocs } from './publicDocs.ts'
import { typeCheck } from './typeCheck.ts'

const docs = publicDocs()

/** Still to be written: take a name out with its comment. */
const WITHOUT_COMMENT = [
  'lineclear: OutsideCall',
  'lineclear: PublishOptions',
  'lineclear: SendOptions',
  'lineclear: SentMessage',
  'lineclear: Verified',
  'lineclear: Verify',
  'lineclear: hasCode',
  'lineclear: AwaitStepOptions',
  'lineclear: HandOverOptions',
  'lineclear: FlowOptions',
  'lineclear: StartOptions',
  'lineclear: ReadChangeWriteTarget',
  'lineclear: DeleteWrite',
  'lineclear: Write',
  'lineclear: Written',
  'lineclear: LogFields',
  'lineclear: UserItem',
  'lineclear: UserKey',
  'lineclear/dynamodb: DynamoDbStoreOptions',
  'lineclear/local: CloudOptions',
  'lineclear/local: MappingOptions',
  'lineclear/local: WorkerOptions',
  'lineclear/local: SubscriptionDescription',
  'lineclear/local: TopicDescription',
  'lineclear/operator: SweepOptions',
  'lineclear/s3: S3ResultsOptions',
  'lineclear/testing: fakeClock',
  'lineclear/testing: CrashFinding',
  'lineclear/testing: CrashOptions',
  'lineclear/testing: LogLine',
  'lineclear/testing: MemoryMessage',
  'lineclear/testing: SendInMemory',
  'lineclear/testing: MemoryHandler',
  'lineclear/testing: MemoryStore',
  'lineclear/testing: MemoryStoreOptions',
  'lineclear/testing: SnsOptions',
  'lineclear/testing: RecordOptions',
]

const WITHOUT_EXAMPLE = [
  'lineclear: RecordContext.remainingTime',
  'lineclear: RecordContext.idempotencyKey',
  'lineclear: RecordContext.sendTo',
  'lineclear: RecordContext.publish',
  'lineclear: RecordContext.defer',
  'lineclear: hasCode',
  'lineclear: defineFlow',
  'lineclear: Flow.handle',
  'lineclear: Flow.complete',
  'lineclear: Flow.answer',
  'lineclear: Flow.heartbeat',
  'lineclear: Flow.start',
  'lineclear: Flow.reset',
  'lineclear: FlowContext.send',
  'lineclear: FlowContext.awaitStep',
  'lineclear: FlowContext.reset',
  'lineclear: absent',
  'lineclear: allOf',
  'lineclear: anyOf',
  'lineclear: atMost',
  'lineclear: contains',
  'lineclear: equals',
  'lineclear: unchanged',
  'lineclear: readChangeWrite',
  'lineclear: jsonLogger',
  'lineclear/dynamodb: dynamoDbStore',
  'lineclear/dynamodb: tableDefinition',
  'lineclear/dynamodb: timeToLive',
  'lineclear/local: startLocalCloud',
  'lineclear/local: mapQueue',
  'lineclear/local: runWorker',
  'lineclear/operator: sweepHandler',
  'lineclear/s3: s3Results',
  'lineclear/testing: fakeClock',
  'lineclear/testing: exploreCrashes',
  'lineclear/testing: memoryStore',
  'lineclear/testing: snsWrapped',
  'lineclear/testing: sqsEvent',
  'lineclear/testing: sqsRecord',
]

describe('what an editor shows of a public name', () => {
  it('says what the name is for', () => {
    const silent = docs.filter(({ comment }) => comment === undefined)
    expect(silent.map(nameOf).filter((name) => !WITHOUT_COMMENT.includes(name))).toEqual([])
  })

  it('shows an example of what is called', () => {
    const silent = docs.filter(({ isCalled, examples }) => isCalled && examples.length === 0)
    expect(silent.map(nameOf).filter((name) => !WITHOUT_EXAMPLE.includes(name))).toEqual([])
  })

  it('shows examples that compile', async () => {
    await expect(typeCheck(docs)).resolves.toBeUndefined()
  })
})

function nameOf({ entry, name }: { readonly entry: string; readonly name: string }): string {
  return `${entry}: ${name}`
}
