import { type Consumer, pascal } from './consumer.ts'

/** Lets the sweeper end the pauses of these consumers. A policy of its own, because the mappings need roles, and come after them. */
export function resumesOf(
  consumers: readonly Pick<Consumer, 'name'>[],
): Readonly<Record<string, unknown>> {
  const statement = {
    Effect: 'Allow',
    Action: 'lambda:UpdateEventSourceMapping',
    Resource: consumers.map(({ name }) => mappingArn(pascal(name))),
  }
  return {
    SweeperResumes: {
      Type: 'AWS::IAM::RolePolicy',
      Properties: {
        PolicyName: 'resumes',
        RoleName: { Ref: 'SweeperRole' },
        PolicyDocument: { Version: '2012-10-17', Statement: [statement] },
      },
    },
  }
}

/** By the logical id that the framework gives to the event source mapping of a queue: its reference is the UUID. */
function mappingArn(id: string): unknown {
  const mapping = `\${${id}EventSourceMappingSQS${id}Queue}`
  return {
    'Fn::Sub': `arn:\${AWS::Partition}:lambda:\${AWS::Region}:\${AWS::AccountId}:event-source-mapping:${mapping}`,
  }
}
