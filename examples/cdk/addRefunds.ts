import { Duration, type Stack } from 'aws-cdk-lib'
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import { Architecture, Runtime } from 'aws-cdk-lib/aws-lambda'
import { NodejsFunction, OutputFormat } from 'aws-cdk-lib/aws-lambda-nodejs'
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs'
import type { LineclearTable } from 'lineclear/cdk'

export function addRefunds(stack: Stack, table: LineclearTable): void {
  const called = new NodejsFunction(stack, 'refunds', {
    entry: 'examples/cdk/refunds.ts',
    runtime: Runtime.NODEJS_24_X,
    architecture: Architecture.ARM_64,
    memorySize: 512,
    timeout: Duration.seconds(30),
    environment: { LINECLEAR_TABLE: table.tableName },
    logGroup: new LogGroup(stack, 'refundsLogs', { retention: RetentionDays.ONE_MONTH }),
    bundling: {
      minify: true,
      format: OutputFormat.ESM,
      mainFields: ['module', 'main'],
      // Packages that are CommonJS call require, which an ES module has to make.
      banner:
        "import { createRequire } from 'node:module';const require = createRequire(import.meta.url);",
    },
  })
  table.grantCalls(called, ['key#refunds/*', 'key#refunds@*'])
  const errors = called.metricErrors({ period: Duration.minutes(1) })
  errors
    .createAlarm(stack, 'refundsErrors', { threshold: 1, evaluationPeriods: 1 })
    .addAlarmAction(new SnsAction(table.alarmTopic))
}
