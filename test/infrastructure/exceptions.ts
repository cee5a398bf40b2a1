/** What a tool objects to and we do on purpose. One that no longer applies is an error, as is an objection that is not listed. */
export interface Exception {
  readonly tool: 'checkov' | 'cfn-lint'
  readonly check: string
  readonly in: readonly Target[]
  /** Names of the resources, or of the modules that they are in. Default: any. */
  readonly on?: readonly string[]
  readonly because: string
}

export type Target = 'serverless.yml' | 'CDK' | 'SAM' | 'osls' | 'Terraform'

const EVERYWHERE: readonly Target[] = ['serverless.yml', 'CDK', 'SAM', 'osls', 'Terraform']
const ALARM_TOPICS = ['AlarmTopic', 'TableAlarms', 'module.table.aws_sns_topic.alarms']

export const EXCEPTIONS: readonly Exception[] = [
  {
    tool: 'cfn-lint',
    check: 'W3005',
    in: ['serverless.yml', 'CDK', 'osls'],
    because: 'osls and the CDK also name dependencies that a GetAtt implies',
  },
  {
    tool: 'checkov',
    check: 'CKV_AWS_26',
    in: EVERYWHERE,
    on: ALARM_TOPICS,
    because:
      'alarms cannot use the account’s key of SNS; they hold no payloads, and SNS encrypts its disks',
  },
  {
    tool: 'checkov',
    check: 'CKV_AWS_27',
    in: ['serverless.yml', 'CDK', 'SAM', 'osls'],
    because:
      'queues are encrypted by SSE-SQS, with which SNS, S3 and EventBridge can send without a grant',
  },
  {
    tool: 'checkov',
    check: 'CKV_AWS_119',
    in: EVERYWHERE,
    because:
      'tables are encrypted; a key of one’s own costs calls for nothing that IAM does not say already',
  },
  {
    tool: 'checkov',
    check: 'CKV_AWS_149',
    in: ['serverless.yml'],
    because:
      'secrets are encrypted by the account’s key for Secrets Manager, and are not shared with others',
  },
  {
    tool: 'checkov',
    check: 'CKV_AWS_158',
    in: EVERYWHERE,
    because: 'CloudWatch Logs encrypts always, and Lineclear logs no payloads',
  },
  {
    tool: 'checkov',
    check: 'CKV_AWS_173',
    in: EVERYWHERE,
    because: 'Lambda encrypts the environment always; the README says who can read it',
  },
  {
    tool: 'checkov',
    check: 'CKV_AWS_115',
    in: EVERYWHERE,
    because:
      'mappings have a maximum concurrency and routes a limit; reserved concurrency takes from other functions',
  },
  {
    tool: 'checkov',
    check: 'CKV_AWS_116',
    in: EVERYWHERE,
    because:
      'dead letters are behind the queue; a caller of HTTP gets the error; what is scheduled comes again',
  },
  {
    tool: 'checkov',
    check: 'CKV_AWS_117',
    in: EVERYWHERE,
    because: 'they call nothing in a VPC; in one they would need endpoints for each service',
  },
  {
    tool: 'checkov',
    check: 'CKV_AWS_18',
    in: ['serverless.yml', 'osls'],
    because: 'data events of CloudTrail say who reads an object, for all buckets of the account',
  },
  {
    tool: 'checkov',
    check: 'CKV_AWS_21',
    in: ['serverless.yml', 'osls'],
    because:
      'payloads are written once, under a hash of their content; uploads and artefacts can be uploaded again',
  },
  {
    tool: 'checkov',
    check: 'CKV_AWS_272',
    in: ['Terraform'],
    because: 'code signing needs a profile of your own',
  },
  {
    tool: 'checkov',
    check: 'CKV_AWS_338',
    in: ['Terraform'],
    because:
      'log lines name ids and keys: a month is enough to operate, and a year has to be asked for',
  },
  {
    tool: 'checkov',
    check: 'CKV_AWS_50',
    in: ['Terraform'],
    because: 'examples/tracing shows how a consumer is traced; X-Ray is paid by the trace',
  },
]
