<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: Apache-2.0 -->
<!--
  METSRights to DIM: declaration and holder. The day from which the public may read becomes local.embargo.lift, which who reads the
  package takes out of the fields and makes an embargo of.
-->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:dim="http://www.dspace.org/xmlns/dspace/dim"
    xmlns:rights="http://cosimo.stanford.edu/sdr/metsrights/" exclude-result-prefixes="rights">

  <xsl:template match="/">
    <xsl:if test="not(//rights:RightsDeclarationMD)">
      <xsl:message terminate="yes">not METSRights: it has no RightsDeclarationMD</xsl:message>
    </xsl:if>
    <dim:dim>
      <xsl:for-each select="//rights:RightsDeclarationMD/rights:RightsDeclaration">
        <dim:field mdschema="dc" element="rights"><xsl:value-of select="."/></dim:field>
      </xsl:for-each>
      <xsl:for-each select="//rights:RightsDeclarationMD/rights:RightsHolder/rights:RightsHolderName">
        <dim:field mdschema="dc" element="rights" qualifier="holder"><xsl:value-of select="."/></dim:field>
      </xsl:for-each>
      <xsl:for-each select="//rights:Context[@CONTEXTCLASS = 'GENERAL PUBLIC'][rights:Permissions/@DISPLAY = 'true']/@start-date">
        <dim:field mdschema="local" element="embargo" qualifier="lift"><xsl:value-of select="."/></dim:field>
      </xsl:for-each>
    </dim:dim>
  </xsl:template>
</xsl:stylesheet>
