import { ROLES, type Role } from '../../shared/contract/common.ts'

/** Whether a role, where there is one, may do what takes at least `least`. */
export const isAtLeast = (role: string | undefined, least: Role): boolean => ROLES.findIndex((one) => one === role) >= ROLES.indexOf(least)
