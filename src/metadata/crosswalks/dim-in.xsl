<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: Apache-2.0 -->
<!-- DIM to DIM: all fields as they are. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:dim="http://www.dspace.org/xmlns/dspace/dim">

  <xsl:template match="/">
    <xsl:if test="not(//dim:dim)"><xsl:message terminate="yes">not DIM: it has no dim:dim</xsl:message></xsl:if>
    <dim:dim><xsl:copy-of select="//dim:dim[1]/dim:field"/></dim:dim>
  </xsl:template>
</xsl:stylesheet>
