/** Differences between an engine and the documentation of AWS, and how the tests handle each. */
export interface Limit {
  readonly engine: string
  readonly what: string
  /** The page that decides. */
  readonly source: string
  readonly instead: string
}

const AWS = 'https://docs.aws.amazon.com'

export const LIMITS: readonly Limit[] = [
  {
    engine: 'the engine in TypeScript, of the local cloud',
    what: 'reads by no SELECT of PartiQL, and knows no parameters that expressions have replaced',
    source: `${AWS}/amazondynamodb/latest/developerguide/ql-reference.select.html`,
    instead:
      'It refuses them with a ValidationException. Each rule on which it and AWS were compared: test/testing/local/engines/rules.',
  },
  {
    engine: 'the memory store',
    what: 'has no expressions: set, add, remove and guard only, and no indexes and pages',
    source: `${AWS}/amazondynamodb/latest/developerguide/Expressions.html`,
    instead: 'It refuses `raw`. What both stores do is compared with an engine in test/store.',
  },
  {
    engine: 'dynoxide 1.2.1, the usual engine',
    what: 'answers some forty requests otherwise than AWS, such as names and values that no expression uses',
    source: `${AWS}/amazondynamodb/latest/developerguide/Expressions.ExpressionAttributeNames.html`,
    instead: 'Each is named, with what it answers, in its row of test/testing/local/engines/rules.',
  },
  {
    engine: 'dynoxide-rs 3.2.0, ministack and moto',
    what: 'answer 24, 86 and 151 of the 340 rules of DynamoDB otherwise than AWS',
    source: `${AWS}/amazondynamodb/latest/APIReference/CommonErrors.html`,
    instead: 'Each is named in differences.json, and a new one fails. No other test asserts one.',
  },
  {
    engine: 'fauxqs 2.4.1',
    what: 'deletes and hides by any receipt, takes a text for a number in filters, sees no lists in them, knows no MessageStructure, and receives a message of a FIFO queue again and again with a visibility of 0',
    source: `${AWS}/AWSSimpleQueueService/latest/APIReference/API_DeleteMessage.html`,
    instead:
      'The local cloud replaces these parts, for clients of others, too: test/testing/local/engines/messaging has the rules.',
  },
  {
    engine: 'fauxqs 2.4.1',
    what: 'takes what AWS refuses: sizes, names and values of attributes, delays, ids',
    source: `${AWS}/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html`,
    instead:
      'Instrumented clients refuse it; plain clients do not. A bad entry fails alone there, while AWS refuses some batches whole.',
  },
  {
    engine: 'fauxqs 2.4.1',
    what: 'locks a FIFO group until all of it is back, where AWS was seen to give out what is back; purges again within 60 seconds, and remembers deduplication ids over it',
    source: `${AWS}/AWSSimpleQueueService/latest/SQSDeveloperGuide/FIFO-queues-understanding-logic.html`,
    instead: 'No test asserts it but the row that names it.',
  },
  {
    engine: 'fauxqs 2.4.1',
    what: 'reads the JSON protocol of SQS alone, and takes what comes by GET for S3',
    source: `${AWS}/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-making-api-requests-xml.html`,
    instead:
      'The local cloud reads SendMessage in the query protocol, too, and GET for it and SNS; the other actions of SQS are refused there.',
  },
  {
    engine: 'dynoxide 1.2.1, the usual engine',
    what: 'reads one SET in a PartiQL statement, and no set_add; AWS reads several, and set_add',
    source: `${AWS}/amazondynamodb/latest/developerguide/ql-reference.update.html`,
    instead:
      'The store writes such updates one by one there. The referee, as AWS, takes them in a batch: no test asserts the defect.',
  },
  {
    engine: 'moto',
    what: 'answers BatchExecuteStatement with an HTML page, status 500, where a statement has what its parser does not read',
    source: `${AWS}/amazondynamodb/latest/APIReference/API_BatchExecuteStatement.html`,
    instead:
      'That is why it is here: each statement is then written by itself, and every order is booked, charged and passed on once.',
  },
  {
    engine: 'moto',
    what: 'puts all tables back as they were when it refuses a transaction, and so loses what was written beside it',
    source: `${AWS}/amazondynamodb/latest/developerguide/transaction-apis.html`,
    instead: 'Its orders run one at a time.',
  },
  {
    engine: 'ministack',
    what: 'asks for actions that AWS does not have: SendMessageBatch, DeleteMessageBatch, ChangeMessageVisibilityBatch, PublishBatch, and BatchExecuteStatement',
    source: `${AWS}/service-authorization/latest/reference/list_amazonsqs.html`,
    instead: 'Who may do the single action, or PartiQLUpdate, may here do the batch: bridge.ts.',
  },
  {
    engine: 'ministack',
    what: 'takes lambda:GetFunctionRecursionConfig for lambda:GetFunction',
    source: `${AWS}/service-authorization/latest/reference/list_awslambda.html`,
    instead: 'Who may do the one may here do the other: bridge.ts.',
  },
  {
    engine: 'ministack',
    what: 'refuses alarms on metric math',
    source: `${AWS}/AWSCloudFormation/latest/TemplateReference/aws-resource-cloudwatch-alarm.html`,
    instead:
      'Those alarms are left out; CloudFormation’s own schema checks them in test/documents/deploy.',
  },
  {
    engine: 'ministack',
    what: 'leaves out TimeToLiveSpecification and PointInTimeRecoverySpecification of tables that CloudFormation makes',
    source: `${AWS}/AWSCloudFormation/latest/TemplateReference/aws-resource-dynamodb-table.html`,
    instead: 'The set-up switches on by request what the template says.',
  },
  {
    engine: 'ministack',
    what: 'refuses OR inside the condition of a PartiQL statement',
    source: `${AWS}/amazondynamodb/latest/developerguide/ql-operators.html`,
    instead:
      'The store writes such updates one by one there, as with every statement that cannot be read.',
  },
  {
    engine: 'ministack',
    what: 'does not know AWS::IAM::RolePolicy, by which the sweeper may end pauses',
    source: `${AWS}/AWSCloudFormation/latest/TemplateReference/aws-resource-iam-rolepolicy.html`,
    instead: 'It is left out; a test of the template compares it with the mappings.',
  },
  {
    engine: 'ministack',
    what: 'answers without TLS only',
    source: `${AWS}/IAM/latest/UserGuide/reference_policies_condition-keys.html`,
    instead:
      'Statements that refuse what comes without TLS are left out; a test of the template finds each queue, topic and bucket without one.',
  },
  {
    engine: 'ministack',
    what: 'gives requests no dynamodb:LeadingKeys, of which a policy could ask',
    source: `${AWS}/service-authorization/latest/reference/list_amazondynamodb.html`,
    instead:
      'That there are keys is not asked there. Which keys each example touches, and that its roles name them: test/documents/deploy/ownItems.proof.test.ts.',
  },
  {
    engine: 'ministack',
    what: 'starts a process for each invocation at once, up to ten of each of ten consumers',
    source: `${AWS}/lambda/latest/dg/services-sqs-scaling.html`,
    instead: 'MaximumConcurrency is 2 there, so that two cores are enough.',
  },
]
