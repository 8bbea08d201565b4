/** The owner of this browser tab, set by the session after each sign-in and change of organization. */
let owner = { userId: 'anyone', organizationId: '' };

export const setOwner = (userId: string, organizationId: string | null | undefined) => {
  owner = { userId, organizationId: organizationId ?? '' };
};
export const ownerId = () => owner.userId;

/** A storage key for this user and organization, so that nobody else sees the input of this tab. */
export const ownName = (name: string) => [name, owner.userId, owner.organizationId].join('.');
