/** One graph: metrics of Lineclear by name, for each set of dimensions under which they are reported. */
interface Graph {
  readonly title: string
  /** The names of the dimensions. */
  readonly by: readonly (readonly string[])[]
  readonly names: readonly string[]
  readonly statistic: string
}

const RECORDS = [
  ['table', 'consumer'],
  ['table', 'flow', 'stage'],
]
const CALLS = [['table', 'name']]

/** Together they show every custom metric that Lineclear makes. */
export const GRAPHS: readonly Graph[] = [
  {
    title: 'Records: done, or handed on',
    by: RECORDS,
    names: ['completed', 'accepted', 'replaced', 'resent'],
    statistic: 'Sum',
  },
  {
    title: 'Records: nothing left to do',
    by: RECORDS,
    names: [
      'duplicate',
      'alreadyDeadLettered',
      'stale',
      'superseded',
      'reset',
      'dropped',
      'coalesced',
      'late',
    ],
    statistic: 'Sum',
  },
  {
    title: 'Records: come back',
    by: RECORDS,
    names: ['retrying', 'deferred', 'notStarted', 'circuitOpen', 'timedOut', 'failed'],
    statistic: 'Sum',
  },
  {
    title: 'Records: dead-lettered, and lost attempts',
    by: RECORDS,
    names: [
      'deadLettered',
      'rejected',
      'unknown',
      'lostAttempts',
      'lateCalls',
      'otherNames',
      'otherPayload',
      'untold',
    ],
    statistic: 'Sum',
  },
  {
    title: 'Records: milliseconds, p99',
    by: RECORDS,
    names: ['duration', 'latency'],
    statistic: 'p99',
  },
  {
    title: 'Calls: ended, replayed, queued',
    by: CALLS,
    names: [
      'completed',
      'replayed',
      'terminal',
      'released',
      'acquired',
      'queued',
      'queuedAgain',
      'duplicate',
    ],
    statistic: 'Sum',
  },
  {
    title: 'Calls: refused, stuck or lost',
    by: CALLS,
    names: [
      'parked',
      'blocked',
      'unknown',
      'superseded',
      'notStored',
      'inProgress',
      'conflict',
      'missingKey',
      'misconfigured',
      'unavailable',
      'notQueued',
      'lostAttempts',
      'lateCalls',
      'otherNames',
    ],
    statistic: 'Sum',
  },
]

/** What the sweeper reports has the table for its only dimension, and needs no search. */
export const SWEEPER = {
  'Open requests, and open circuits': [
    'inProgress',
    'missingTasks',
    'waitingTasks',
    'openCircuits',
  ],
  'Delayed messages: milliseconds since the oldest was due': ['oldestDelayed'],
}

/** As `Fn::Sub` reads it: other environments of the account have dashboards of their own. */
const TABLE = '${LineclearTable}'

export function dashboard(): object {
  const queues = (names: string, metric: string): object =>
    searched(`SEARCH('{AWS/SQS,QueueName} ${names} MetricName="${metric}"', 'Maximum', 60)`)
  const widgets = [
    ...Object.entries(SWEEPER).map(([title, names]) =>
      widget(
        title,
        names.map((name) => ['Lineclear', name, 'table', TABLE, { stat: 'Maximum' }]),
      ),
    ),
    ...GRAPHS.map((graph) =>
      widget(
        graph.title,
        graph.by.map((by) => [searched(search(by, graph))]),
      ),
    ),
    widget('Oldest message', [[queues('lineclear', 'ApproximateAgeOfOldestMessage')]]),
    widget('Dead letters', [
      [queues('(DeadLetters OR Undelivered OR Undone)', 'ApproximateNumberOfMessagesVisible')],
    ]),
  ]
  return {
    Type: 'AWS::CloudWatch::Dashboard',
    Properties: { DashboardBody: { 'Fn::Sub': JSON.stringify({ widgets }) } },
  }
}

function search(by: readonly string[], { names, statistic }: Graph): string {
  const any = names.map((name) => `"${name}"`).join(' OR ')
  return `SEARCH('{Lineclear,${by.join()}} table="${TABLE}" MetricName=(${any})', '${statistic}', 60)`
}

function searched(expression: string): object {
  return { expression }
}

function widget(title: string, metrics: readonly unknown[]): object {
  const properties = { title, region: '${AWS::Region}', metrics }
  return { type: 'metric', width: 12, height: 6, properties }
}
