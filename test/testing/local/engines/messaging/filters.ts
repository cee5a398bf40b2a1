/** Whether SNS delivers a message, by a filter policy. */
export interface FilterRule {
  readonly policy: object
  readonly body?: unknown
  readonly attributes?: Readonly<Record<string, unknown>>
  readonly isDelivered: boolean
  /** Who recorded it on AWS, or AWS's own page. */
  readonly source: string
}

const AWS = 'docs.aws.amazon.com/sns/latest/dg'
const TEXTS = `${AWS}/string-value-matching.html`
const NUMBERS = `${AWS}/numeric-value-matching.html`
const KEYS = `${AWS}/attribute-key-matching.html`
/** Its snapshots are recorded on AWS. */
const LOCALSTACK = 'localstack/localstack 4.14.0, tests/aws/services/sns/test_sns_filter_policy.py'

const ofAttributes = (
  policy: object,
  source: string,
  ...cases: readonly (readonly [
    attributes: Readonly<Record<string, unknown>>,
    isDelivered: boolean,
  ])[]
): readonly FilterRule[] =>
  cases.map(([attributes, isDelivered]) => ({ policy, attributes, isDelivered, source }))

const ofBodies = (
  policy: object,
  source: string,
  ...cases: readonly (readonly [body: unknown, isDelivered: boolean])[]
): readonly FilterRule[] =>
  cases.map(([body, isDelivered]) => ({ policy, body, isDelivered, source }))

const RECORDS = {
  Records: {
    s3: { object: { key: [{ prefix: 'auto-' }] } },
    eventName: [{ prefix: 'ObjectCreated:' }],
  },
}
const created = (key: string, eventName = 'ObjectCreated:Put'): object => ({
  eventName,
  s3: { object: { key } },
})
const EITHER = {
  $or: [{ metric: ['cpu', 'latency'] }, { space: ['EC2', 'ES'] }],
  detail: { scope: ['Service'], $or: [{ source: ['cloudwatch'] }, { type: ['Alarm'] }] },
}
const NESTED = {
  object: { key: [{ prefix: 'auto-' }, 'whole'], nested: [{ exists: false }] },
  test: [{ exists: false }],
}

export const FILTERS: readonly FilterRule[] = [
  ...ofAttributes({ k: ['a', 'b'] }, TEXTS, [{ k: 'a' }, true], [{ k: 'A' }, false], [{}, false]),
  ...ofAttributes(
    { k: ['value1'] },
    LOCALSTACK,
    [{ k: ['value1', 'value2'] }, true],
    [{ k: ['value2', 'value3'] }, false],
  ),
  ...ofAttributes(
    { k: [{ 'anything-but': ['a'] }] },
    TEXTS,
    [{ k: 'b' }, true],
    [{ k: 'a' }, false],
    [{ j: 'b' }, false],
  ),
  ...ofAttributes(
    { k: [{ 'anything-but': { prefix: 'a' } }] },
    TEXTS,
    [{ k: 'bx' }, true],
    [{ k: 'ax' }, false],
  ),
  ...ofAttributes(
    { k: [{ prefix: 'a' }, { suffix: 'z' }] },
    TEXTS,
    [{ k: 'ab' }, true],
    [{ k: 'bz' }, true],
    [{ k: 'bb' }, false],
  ),
  ...ofAttributes(
    { k: [{ 'equals-ignore-case': 'tennis' }] },
    TEXTS,
    [{ k: 'TENNIS' }, true],
    [{ k: 'rugby' }, false],
  ),
  ...ofAttributes(
    { k: [{ wildcard: '*ball' }] },
    TEXTS,
    [{ k: 'baseball' }, true],
    [{ k: 'ballet' }, false],
  ),
  ...ofAttributes(
    { k: [{ cidr: '10.0.0.0/24' }] },
    TEXTS,
    [{ k: '10.0.0.255' }, true],
    [{ k: '10.1.1.0' }, false],
  ),
  ...ofAttributes(
    { n: [{ numeric: ['>', 0, '<=', 100] }] },
    LOCALSTACK,
    [{ n: 99 }, true],
    [{ n: 111 }, false],
  ),
  ...ofAttributes(
    { n: [{ numeric: ['=', 301.5] }] },
    NUMBERS,
    [{ n: 3.015e2 }, true],
    [{ n: '301.5' }, false],
  ),
  ...ofAttributes(
    { n: [{ 'anything-but': [100, 500] }] },
    NUMBERS,
    [{ n: 101 }, true],
    [{ n: 100 }, false],
  ),
  ...ofAttributes({ k: [{ exists: true }] }, KEYS, [{ k: 'fans' }, true], [{ j: 'fans' }, false]),
  ...ofAttributes(
    { k: [{ exists: false }] },
    KEYS,
    [{ j: 'fans' }, true],
    [{ k: 'fans' }, false],
    [{}, false],
  ),
  ...ofAttributes({ k: [null, { 'anything-but': 'whatever' }] }, LOCALSTACK, [{}, false]),
  ...ofBodies(
    NESTED,
    LOCALSTACK,
    [{ object: { key: 'auto-test' } }, true],
    [{ object: { key: 'whole' } }, true],
    [{ object: { key: 'test-auto' } }, false],
    [{ object: { key: 'auto-test' }, test: 'there' }, false],
    [{ object: { key: 'auto-test', nested: 'there' } }, false],
    [{ object: { test: 'auto-test' } }, false],
    ['no JSON', false],
  ),
  ...ofBodies(
    { 'object.nested': ['a'] },
    LOCALSTACK,
    [{ object: { nested: 'a' } }, true],
    [{ 'object.nested': 'a' }, true],
    [{ object: { nested: 'b' } }, false],
  ),
  ...ofBodies(
    { headers: { to: ['one'] } },
    LOCALSTACK,
    [{ headers: { to: ['three'] } }, false],
    [{ headers: { to: ['one', 'two'] } }, true],
  ),
  ...ofBodies(
    RECORDS,
    LOCALSTACK,
    [{ Records: [created('auto-1')] }, true],
    [{ Records: [created('auto-1', 'ObjectRemoved:Delete')] }, false],
    [{ Records: [created('home-1')] }, false],
    [
      {
        Records: [
          { eventName: 'ObjectCreated:Put', s3: { object: [[{ key: 'auto-1' }]] } },
          created('home-1', 'ObjectRemoved:Delete'),
        ],
      },
      true,
    ],
  ),
  ...ofBodies(
    EITHER,
    LOCALSTACK,
    [{ metric: 'cpu', detail: { scope: 'Service', source: 'cloudwatch' } }, true],
    [{ space: 'ES', detail: { scope: 'Service', source: 'cloudwatch' } }, true],
    [{ metric: 'latency', detail: { scope: 'Service', type: 'Alarm' } }, true],
    [{ metric: 'cpu', detail: { scope: 'other', type: 'Alarm' } }, false],
    [{ metric: 'cpu', detail: { scope: 'Service' } }, false],
    [{ metric: 'EC2', detail: { scope: 'Service', type: 'Alarm' } }, false],
  ),
  ...ofBodies({ detail: { version: [''] } }, LOCALSTACK, [
    { resources: [], detail: { version: '', elements: null } },
    true,
  ]),
  ...ofBodies(
    {
      detail: {
        $or: [{ v4: [{ cidr: '10.0.0.0/24' }] }, { v6: [{ cidr: '2001:db8:1234:1a00::/64' }] }],
      },
    },
    LOCALSTACK,
    [{ detail: { v4: '10.0.0.255' } }, true],
    [{ detail: { v4: '10.0.0.256' } }, false],
    [{ detail: { v6: '2001:0db8:1234:1a00:0000:0000:0000:0000' } }, true],
    [{ detail: { v6: '2001:0db8:123f:1a01:0000:0000:0000:0000' } }, false],
  ),
]
