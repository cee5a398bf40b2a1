import type { Check } from './check.ts'
import { DYNAMODB_CHECKS } from './dynamodb.ts'
import { LAMBDA_CHECKS } from './lambda.ts'
import { SNS_CHECKS } from './sns.ts'
import { SQS_CHECKS } from './sqs.ts'

export const CHECKS: readonly Check[] = [
  ...SQS_CHECKS,
  ...SNS_CHECKS,
  ...DYNAMODB_CHECKS,
  ...LAMBDA_CHECKS,
]
