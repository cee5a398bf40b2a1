import { Duration, type Stack } from 'aws-cdk-lib'
import { type IVpc, SecurityGroup } from 'aws-cdk-lib/aws-ec2'
import { Architecture, CapacityProvider } from 'aws-cdk-lib/aws-lambda'
import { type ILineclearTable, LineclearConsumer } from 'lineclear/cdk'

/** A consumer on Lambda Managed Instances. @param vpc its private subnets reach DynamoDB and SQS */
export function managed(stack: Stack, table: ILineclearTable, vpc: IVpc): void {
  const capacityProvider = new CapacityProvider(stack, 'Capacity', {
    subnets: vpc.privateSubnets,
    securityGroups: [new SecurityGroup(stack, 'Egress', { vpc })],
    architectures: [Architecture.ARM_64],
  })
  new LineclearConsumer(stack, 'orders', {
    table,
    entry: 'examples/cdk/orders.ts',
    timeout: Duration.minutes(15),
    managed: { capacityProvider, concurrency: 10 },
  })
}
