import { Duration, Stack } from 'aws-cdk-lib'
import {
  Alias,
  Function as LambdaFunction,
  type IFunction,
  type IVersion,
} from 'aws-cdk-lib/aws-lambda'
import { Topic } from 'aws-cdk-lib/aws-sns'
import { type IQueue, Queue } from 'aws-cdk-lib/aws-sqs'
import {
  LineclearConsumer,
  type LineclearConsumerProps,
  LineclearFlow,
  type LineclearFlowProps,
  LineclearSweeper,
  LineclearTable,
} from 'lineclear/cdk'
import { describe, expect, it } from 'vitest'
import { ENTRY, functionIn, newStack } from './stacks.ts'

const seconds = (count: number): Duration => Duration.seconds(count)

function given(stack: Stack, deadLetters: object | undefined, more: object = {}): Queue {
  const dead = new Queue(stack, 'Dead', deadLetters)
  return new Queue(stack, 'Source', {
    visibilityTimeout: seconds(180),
    ...(deadLetters && { deadLetterQueue: { queue: dead, maxReceiveCount: 10 } }),
    ...more,
  })
}

const imported = (stack: Stack, name = 'there'): IQueue =>
  Queue.fromQueueArn(stack, name, `arn:aws:sqs:eu-central-1:123456789012:${name}`)

const importedFunction = (stack: Stack): IFunction =>
  LambdaFunction.fromFunctionArn(
    stack,
    'There',
    'arn:aws:lambda:eu-central-1:123456789012:function:orders',
  )

/** Objects, because JavaScript can write what the types refuse. */
type Row = readonly [mistake: string, props: (stack: Stack) => object, line: RegExp]

const CONSUMERS: readonly Row[] = [
  [
    'a visibility timeout below six timeouts',
    () => ({ visibilityTimeout: seconds(179) }),
    /visibilityTimeout: expected 180 s or more, .*; got 179 s: what Lambda holds while it is throttled would be delivered again/,
  ],
  [
    'a visibility timeout below the window on top',
    () => ({ visibilityTimeout: seconds(180), batchSize: 100, maxBatchingWindow: seconds(5) }),
    /visibilityTimeout: expected 185 s or more/,
  ],
  [
    'too few receives',
    () => ({ maxReceiveCount: 5 }),
    /maxReceiveCount: expected 10 or more, because deferrals count as receives; got 5/,
  ],
  ['half a receive', () => ({ maxReceiveCount: 10.5 }), /maxReceiveCount: expected 10 or more/],
  [
    'messages that expire before they are dead letters',
    () => ({ queueProps: { retentionPeriod: seconds(1_800) } }),
    /queueProps.retentionPeriod: expected more than 1800 s/,
  ],
  [
    'a queue that keeps as long as its dead letters',
    () => ({ queueProps: { retentionPeriod: Duration.days(14) } }),
    /less than the 14 days/,
  ],
  [
    'a given queue without dead letters',
    (stack) => ({ queue: given(stack, undefined) }),
    /queue: expected a queue with a deadLetterQueue; got Orders\/Source without one/,
  ],
  [
    'an imported queue without dead letters',
    (stack) => ({ queue: imported(stack) }),
    /queue: expected its deadLetterQueue beside an imported queue; got none/,
  ],
  [
    'an imported queue with FIFO dead letters',
    (stack) => ({ queue: imported(stack), deadLetterQueue: imported(stack, 'dead.fifo') }),
    /deadLetterQueue: expected a standard queue, as queue is one; got a FIFO queue/,
  ],
  [
    'dead letters without a queue',
    (stack) => ({ deadLetterQueue: imported(stack) }),
    /deadLetterQueue: expected nothing without queue/,
  ],
  [
    'a given queue with too little visibility',
    (stack) => ({ queue: given(stack, {}, { visibilityTimeout: seconds(30) }) }),
    /visibilityTimeout: expected 180 s or more, .*; got 30 s/,
  ],
  [
    'a given queue with the visibility of SQS',
    (stack) => ({ queue: given(stack, {}, { visibilityTimeout: undefined }) }),
    /visibilityTimeout: expected 180 s or more, .*; got 30 s/,
  ],
  [
    'a given queue with too few receives',
    (stack) => ({
      queue: given(
        stack,
        {},
        { deadLetterQueue: { queue: imported(stack, 'dead'), maxReceiveCount: 3 } },
      ),
    }),
    /queue: its maxReceiveCount: expected 10 or more/,
  ],
  [
    'a name for a given queue',
    (stack) => ({ queue: given(stack, {}), queueName: 'orders' }),
    /queueName: expected nothing beside queue/,
  ],
  [
    'more than 15 minutes',
    () => ({ timeout: seconds(901) }),
    /timeout: expected 900 s or less; got 901 s/,
  ],
  [
    'more than 90 minutes on Managed Instances',
    () => ({ timeout: seconds(5_401), managed: { capacityProvider: {}, concurrency: 1 } }),
    /timeout: expected 5400 s or less; got 5401 s/,
  ],
  [
    'no function',
    () => ({ entry: undefined }),
    /entry: expected the file of its handler, .*, or function; got neither/,
  ],
  [
    'two functions',
    (stack) => ({ function: functionIn(stack) }),
    /entry: expected nothing beside function; got a value/,
  ],
  [
    'an imported function of unknown timeout',
    (stack) => ({ entry: undefined, function: importedFunction(stack) }),
    /timeout: expected the timeout of its function, which is imported/,
  ],
  [
    'another timeout than that of its function',
    (stack) => ({ entry: undefined, function: functionIn(stack), timeout: seconds(30) }),
    /timeout: expected nothing, or that of its function, 3 s; got 30 s/,
  ],
  [
    'a name that no handler can have',
    () => ({ name: 'the orders' }),
    /name: expected the name of its handler, .*; got "the orders"/,
  ],
  [
    'a dependency with a space',
    () => ({ dependencies: ['the payments'] }),
    /dependencies: expected names of .*; got "the payments"/,
  ],
]

function messageOf(make: () => unknown): string {
  try {
    make()
  } catch (error) {
    return error instanceof Error ? error.message : 'no error'
  }
  return 'nothing was said'
}

function consumer(stack: Stack, props: object = {}): LineclearConsumer {
  const table = LineclearTable.fromTableName(stack, 'Table', 'lineclear')
  const all = { table, entry: ENTRY, ...props } as LineclearConsumerProps
  return new LineclearConsumer(stack, 'orders', all)
}

describe('refused in one line, before anything is synthesised', () => {
  it.each(CONSUMERS)('%s', (_, props, line) => {
    const stack = newStack()
    const said = messageOf(() => consumer(stack, props(stack)))
    expect(said).toMatch(line)
    expect(said).toMatch(/^lineclear\/cdk: 'Orders\/orders': .*\. Nothing was synthesised\.$/)
  })

  it.each<readonly [string, Partial<LineclearFlowProps>, RegExp]>([
    ['no stages', { stages: {} }, /stages: expected one stage or more; got none/],
    [
      'two stages with one variable',
      { stages: { findHotel: {}, find_hotel: {} } },
      /stages: expected names with variables of their own; got findHotel, find_hotel/,
    ],
    [
      'a stage and an answer step of one name',
      { stages: { ask: {} }, answers: { ask: {} } },
      /There is already a Construct with name 'ask'/,
    ],
  ])('a flow with %s', (_, props, line) => {
    const stack = newStack()
    const table = LineclearTable.fromTableName(stack, 'Table', 'lineclear')
    const all = { table, entry: ENTRY, stages: {}, ...props }
    expect(messageOf(() => new LineclearFlow(stack, 'trip', all))).toMatch(line)
  })

  it('a table with two addresses for its alarms', () => {
    const stack = newStack()
    const both = { alarmEmail: 'oncall@example.com', alarmTopic: new Topic(stack, 'Alarms') }
    expect(messageOf(() => new LineclearTable(stack, 'Both', both))).toMatch(
      /alarmEmail: expected one of alarmTopic and alarmEmail; got both/,
    )
  })
})

describe('what is right is taken', () => {
  it.each<readonly [string, (stack: Stack) => object]>([
    ['a given queue', (stack) => ({ queue: given(stack, {}) })],
    [
      'an imported queue',
      (stack) => ({ queue: imported(stack), deadLetterQueue: imported(stack, 'dead') }),
    ],
    [
      'an alias',
      (stack) => {
        const live = functionIn(stack, 'Live', { timeout: seconds(20) })
        const version = live.currentVersion as IVersion
        return {
          entry: undefined,
          function: new Alias(stack, 'Alias', { aliasName: 'live', version }),
        }
      },
    ],
    [
      'an imported function',
      (stack) => ({ entry: undefined, function: importedFunction(stack), timeout: seconds(30) }),
    ],
    [
      'provisioned pollers',
      () => ({
        mappingProps: { provisionedPollerConfig: { minimumPollers: 2, maximumPollers: 3 } },
      }),
    ],
    ['a FIFO queue with a name', () => ({ fifo: true, queueName: 'orders.fifo' })],
  ])('%s', (_, props) => {
    const stack = newStack()
    expect(messageOf(() => consumer(stack, props(stack)))).toBe('nothing was said')
  })
})

describe('a warning is given for', () => {
  const warningsOf = (stack: Stack): readonly string[] =>
    stack.node
      .findAll()
      .flatMap(({ node }) => node.metadata.filter(({ type }) => type === 'aws:cdk:warning'))
      .map(({ data }) => String(data))

  it('alarms that notify no one', () => {
    const stack = newStack()
    consumer(stack)
    new LineclearTable(stack, 'Own')
    expect(warningsOf(stack)).toEqual([
      expect.stringMatching(/^Its alarms notify no one: give alarmTopic/),
      expect.stringMatching(/^Alarms notify no one: give alarmEmail/),
    ])
  })

  it('a flow that the sweeper of another stack cannot send to', () => {
    const stack = newStack()
    const table = new LineclearTable(stack, 'Table', { alarmEmail: 'oncall@example.com' })
    new LineclearSweeper(stack, 'Sweeper', { table })
    const other = new Stack(stack.node.scope, 'Other')
    new LineclearFlow(other, 'trip', { table, entry: ENTRY, stages: { ask: {} } })
    expect(warningsOf(other)).toEqual([
      expect.stringMatching(/^The sweeper Orders\/Sweeper stands/),
    ])
  })
})
