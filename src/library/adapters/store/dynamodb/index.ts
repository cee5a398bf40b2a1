export { dynamoDbStore, type DynamoDbStoreOptions } from './dynamoDbStore.ts'
export { tableDefinition, timeToLive } from './tableDefinition.ts'
