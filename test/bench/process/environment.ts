import type { Database } from '../database/startDatabase.ts'

/** What a peer's process gets from Lambda, and an endpoint: each peer makes its own client, as its documentation says. */
export function environmentOf({
  endpoint,
  trusted,
}: Pick<Database, 'endpoint' | 'trusted'>): NodeJS.ProcessEnv {
  return {
    PATH: process.env['PATH'],
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
    AWS_LAMBDA_FUNCTION_NAME: 'orders-consumer',
    LAMBDA_TASK_ROOT: '/var/task',
    AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
    // Without the profiles of who measures.
    HOME: '/nonexistent',
    ...(trusted !== undefined && { NODE_EXTRA_CA_CERTS: trusted }),
    ...(process.env['DATABASE_URL'] !== undefined && { DATABASE_URL: process.env['DATABASE_URL'] }),
  }
}
