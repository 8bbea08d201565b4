/** Explanations of less common terms. */
export const HELP = {
  networkAdministrator:
    'A network administrator renames a network, sees its organizations and keeps its service account, but sees no patient data.',
  reseller: 'A reseller brings organizations to the platform. A licensing reseller has its own plans for them, an affiliate does not.',
} as const;
