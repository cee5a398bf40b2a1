import { dynamoDbStore } from 'lineclear/dynamodb'
import { orders } from './orders.ts'

const store = dynamoDbStore({ tableName: 'lineclear' })

export const handler = orders({ store }, process.env['MAIL_QUEUE'] ?? '')
